// Markdown from people and agents. Raw HTML is text, pictures are links (nothing is fetched from elsewhere), links
// leave in a new window without saying where they came from.

import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import classes from './markdown.module.css';

const components: Components = {
  a: ({ href, children }) => <Outward href={href}>{children}</Outward>,
  img: ({ src, alt }) => (
    <Outward href={typeof src === 'string' ? src : undefined}>{alt || 'picture'}</Outward>
  ),
  table: ({ children }) => (
    <div className={classes.wide}>
      <table>{children}</table>
    </div>
  ),
};

/** A link to elsewhere, with its address in the title; addresses within the dashboard stay in the window. */
export function Outward({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (href === undefined || href === '') return children;
  if (href.startsWith('#/')) return <a href={href}>{children}</a>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.markdown}>
      <ReactMarkdown components={components}>{text}</ReactMarkdown>
    </div>
  );
});
