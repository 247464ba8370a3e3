// Every page by the first part of its address. A page joins with one line here; the sidebar shows what is here.

import type { ReactNode } from 'react';
import type { Address } from './router.ts';

/** Draws a page from what stands after its name in the address. */
export type DrawPage = (rest: Address) => ReactNode;

export const pages: Record<string, DrawPage> = {};

/** What replaces the whole frame while the vault is not open. */
export const unlock: (() => ReactNode) | undefined = undefined;
