// The one theme: sizes, spacing, colours and the five states. No page invents its own.

import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, rem } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#eef0ff',
  '#dde1fd',
  '#bcc3f8',
  '#a9b3ff',
  '#98a4ff',
  '#6672e4',
  '#4652c8',
  '#3e49b5',
  '#343e9c',
  '#293180',
];

/** Red of dangerous buttons and refused fields, dark enough for white text and light enough on dark. */
const red: MantineColorsTuple = [
  '#fdecea',
  '#fad5d2',
  '#f4b3ae',
  '#ff9d95',
  '#ff8a80',
  '#d5473d',
  '#b3261e',
  '#9c1f18',
  '#851a14',
  '#6b1510',
];

/** Mantine draws fields, menus and hovers of the dark scheme from these: the same cool grey as our surfaces. */
const darkGreys: MantineColorsTuple = [
  '#e3e5ea',
  '#c4c8d0',
  '#a3a8b4',
  '#8f95a1',
  '#3a3d45',
  '#2e3036',
  '#212328',
  '#17181b',
  '#121316',
  '#0d0e10',
];

// Text of a state stands at 4.5 to 1 or better on the page, the sidebar and its own soft ground.
const light = {
  waiting: ['#855000', '#fff3d9'],
  running: ['#1257bd', '#e8f1ff'],
  done: ['#17682f', '#e6f6ea'],
  failed: ['#b3261e', '#fdecea'],
  paused: ['#5a606c', '#f0f1f3'],
} as const;
const dark = {
  waiting: ['#f2b950', '#3a2c10'],
  running: ['#86b8ff', '#16294a'],
  done: ['#74d291', '#15331f'],
  failed: ['#ff938a', '#421c1a'],
  paused: ['#aab0bb', '#2a2c31'],
} as const;

/** The five colours a state may have. */
export type Tone = keyof typeof light;

function stateVariables(scheme: Record<Tone, readonly [string, string]>): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [tone, [text, ground]] of Object.entries(scheme)) {
    variables[`--state-${tone}`] = text;
    variables[`--state-${tone}-ground`] = ground;
  }
  return variables;
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--sidebar-width': rem(232), '--column-width': rem(880), '--panel-width': rem(340) },
  light: {
    ...stateVariables(light),
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1b1d22',
    '--mantine-color-dimmed': '#5a606c',
    '--mantine-color-placeholder': '#6a707c',
    '--mantine-color-default-border': '#dcdee3',
    '--mantine-color-error': light.failed[0],
    '--surface-side': '#f6f7f8',
    '--surface-raised': '#fafafb',
    '--surface-hover': '#eff0f3',
    '--surface-selected': '#e4e7fb',
    '--hairline': '#e4e5e9',
    '--accent-text': '#3e49b5',
  },
  dark: {
    ...stateVariables(dark),
    '--mantine-color-body': '#17181b',
    '--mantine-color-text': '#e3e5ea',
    '--mantine-color-dimmed': '#a3a8b4',
    '--mantine-color-placeholder': '#8f95a1',
    '--mantine-color-default': '#212328',
    '--mantine-color-default-hover': '#2a2c32',
    '--mantine-color-default-border': '#3a3d45',
    '--mantine-color-error': dark.failed[0],
    '--surface-side': '#1d1e22',
    '--surface-raised': '#1d1e22',
    '--surface-hover': '#282a30',
    '--surface-selected': '#2b3058',
    '--hairline': '#2e3036',
    '--accent-text': '#a9b3ff',
  },
});

const quick = { duration: 120 };

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 6 },
  colors: { accent, red, dark: darkGreys },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "Cascadia Mono", "DejaVu Sans Mono", monospace',
  fontSizes: { xs: rem(12), sm: rem(14), md: rem(14), lg: rem(16), xl: rem(20) },
  lineHeights: { xs: '1.5', sm: '1.5', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: rem(4), sm: rem(8), md: rem(12), lg: rem(16), xl: rem(24) },
  radius: { xs: rem(4), sm: rem(4), md: rem(8), lg: rem(8), xl: rem(8) },
  defaultRadius: 'md',
  respectReducedMotion: true,
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(20), lineHeight: '1.4' },
      h2: { fontSize: rem(16), lineHeight: '1.5' },
      h3: { fontSize: rem(14), lineHeight: '1.5' },
      h4: { fontSize: rem(14), lineHeight: '1.5' },
      h5: { fontSize: rem(12), lineHeight: '1.5' },
      h6: { fontSize: rem(12), lineHeight: '1.5' },
    },
  },
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Drawer: {
      defaultProps: { transitionProps: quick, shadow: 'none', closeButtonProps: { 'aria-label': 'Close' } },
    },
    // Without the placeholder the first item has the focus, and a reader hears a menu with items only.
    Menu: { defaultProps: { transitionProps: quick, shadow: 'sm', withInitialFocusPlaceholder: false } },
    Modal: {
      defaultProps: {
        transitionProps: quick,
        shadow: 'none',
        centered: true,
        padding: 'lg',
        closeButtonProps: { 'aria-label': 'Close' },
      },
      styles: { title: { fontSize: rem(16), fontWeight: 600 } },
    },
    Popover: { defaultProps: { transitionProps: quick, shadow: 'sm' } },
    Skeleton: { defaultProps: { animate: false } },
    Tooltip: { defaultProps: { transitionProps: quick, openDelay: 400, withArrow: false } },
  },
});
