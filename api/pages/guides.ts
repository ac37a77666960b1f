import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../pipeline/core/project-root.ts'

/** A document for users of the registry, in Markdown. */
export interface Guide {
  /** Name of its file without `.md`, unique among all of them. */
  name: string
  title: string
  summary: string
  markdown: string
  /** Folder of its file, to which the links in it are relative. */
  folder: string
}

/** Folders of guides. */
export const guideFolders = ['docs/guides', 'docs', 'docs/operate'] as const

/** Every guide with what a reader gets from it, by who reads it. */
export const guideGroups = [
  {
    title: 'By role',
    guides: {
      publisher: 'Check your adagents.json, publish it, and see what buyers see',
      buyer: 'Find out who is behind a site, and whether an agent can sell that site’s ads',
      'agent-operator': 'See who authorizes your agent, and test it against the protocol',
      analyst: 'Query the whole data set, and keep a copy current',
    },
  },
  {
    title: 'For developers',
    guides: {
      clients: 'Use the TypeScript client or plain HTTP',
      validator: 'Check files on the command line and in continuous integration',
      webhooks: 'Receive each change as a signed request',
      events: 'Every type of change that the feed reports',
      parquet: 'Layout and URLs of the downloadable tables',
      errors: 'Every error code and what it means',
    },
  },
  {
    title: 'Run your own registry',
    guides: {
      install: 'Set up a registry on one machine, in a container or in a cluster',
      'registry-operator': 'Daily tasks: health, members, and what’s waiting for a decision',
      operating: 'Every command, backups, upgrades and recovery',
      incidents: 'What to do when something is wrong',
      settings: 'Every setting and limit with its default',
      keys: 'Replace keys, as planned or after a leak',
      replicas: 'Serve a read-only copy on another machine',
      scale: 'Add caches, replicas and crawlers',
      sizing: 'Memory, disk and time that a registry needs',
      metrics: 'Every Prometheus metric with its labels',
      crawling: 'Every result of a fetch, and every queue',
    },
  },
] as const satisfies readonly { title: string; guides: Readonly<Record<string, string>> }[]

let guides: readonly Guide[] | undefined

/** Lists all guides in the order of their groups; read once. */
export function listGuides(): readonly Guide[] {
  guides ??= guideGroups.flatMap(({ guides }) =>
    Object.entries(guides).map(([name, summary]) => readGuide(name, summary)),
  )
  return guides
}

export function findGuide(name: string): Guide | undefined {
  return listGuides().find(guide => guide.name === name)
}

const CODE = /^```[\s\S]*?^```/gm
const HEADING = /^## (.+)$/gm

/** Lists the headings of the sections of a guide, in Markdown. */
export function listHeadings(markdown: string): string[] {
  return [...markdown.replace(CODE, '').matchAll(HEADING)].map(([, heading = '']) => heading)
}

export function toGuidePath(name: string): string {
  return `/docs/guides/${name}`
}

function readGuide(name: string, summary: string): Guide {
  const toFile = (folder: string) => join(projectRoot, folder, `${name}.md`)
  const folder = guideFolders.find(folder => existsSync(toFile(folder)))
  if (folder === undefined) throw new Error(`There is no guide ${name}.md`)
  const markdown = readFileSync(toFile(folder), 'utf8').replace(/<!--.*?-->\n*/gs, '')
  const [heading = ''] = markdown.split('\n', 1)
  return { name, title: heading.replace(/^# /, '').trim(), summary, markdown, folder }
}
