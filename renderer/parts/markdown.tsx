// Markdown from people and agents. Raw HTML is text, pictures are links (nothing is fetched from elsewhere), links
// leave in a new window without saying where they came from.

import { memo, type ReactNode, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import type { Party } from '../../main/contract/app.ts';
import { partyOf, usePeople } from './live.ts';
import classes from './markdown.module.css';
import { markdownLinks } from './markdown-links.ts';

const components: Components = {
  a: ({ href, children, node, title }) => {
    const mention = node?.properties['data-mention'];
    if (mention === undefined) return <Outward href={href}>{children}</Outward>;
    const look = { className: classes.mention, 'data-me': mention === 'me' || undefined, title };
    return href?.startsWith('#/') ? (
      <a href={href} {...look}>
        {children}
      </a>
    ) : (
      <span {...look}>{children}</span>
    );
  },
  img: ({ src, alt }) => (
    <Outward href={typeof src === 'string' ? src : undefined}>{alt || 'picture'}</Outward>
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

const nobody: readonly string[] = [];

export type MarkdownProps = {
  text: string;
  /** Keys the text may name as `@name`: those in the event's `p` tags. Keep the array the same between draws. */
  mentions?: readonly string[];
};

export const Markdown = memo(function Markdown({ text, mentions = nobody }: MarkdownProps) {
  const people = usePeople();
  const plugins = useMemo(() => {
    const named: Party[] = mentions.map(key => partyOf(people, key));
    return [markdownLinks(named, key => partyOf(people, key))];
  }, [people, mentions]);
  return (
    <div className={classes.markdown}>
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
