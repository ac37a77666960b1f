import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../pipeline/core/project-root.ts'

/** A document for users of the registry, in Markdown. */
export interface Guide {
  /** Name of its file without `.md`, unique among all of them. */
  name: string
  title: string
  /** Its first sentence. */
  summary: string
  markdown: string
  /** Folder of its file, to which the links in it are relative. */
  folder: string
  /** It is for one kind of user; the others are about one thing. */
  isForUsers: boolean
}

const folders = [
  ['docs/guides', true],
  ['docs', false],
  ['docs/operate', false],
] as const

let guides: readonly Guide[] | undefined

/** Lists all guides, those for a kind of user first; read once. */
export function listGuides(): readonly Guide[] {
  guides ??= folders.flatMap(([folder, isForUsers]) => {
    return readdirSync(join(projectRoot, folder))
      .filter(file => file.endsWith('.md'))
      .sort()
      .map(file => readGuide(folder, file.slice(0, -'.md'.length), isForUsers))
  })
  return guides
}

export function findGuide(name: string): Guide | undefined {
  return listGuides().find(guide => guide.name === name)
}

export function toGuidePath(name: string): string {
  return `/docs/guides/${name}`
}

function readGuide(folder: string, name: string, isForUsers: boolean): Guide {
  const markdown = readFileSync(join(projectRoot, folder, `${name}.md`), 'utf8').replace(
    /<!--.*?-->\n*/gs,
    '',
  )
  const [heading = '', paragraph = ''] = markdown.split('\n\n', 2)
  const text = paragraph.replace(/\s+/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)|`/g, '$1')
  const [summary = text] = /^.*?[.?](?= |$)/.exec(text) ?? []
  const title = heading.replace(/^# /, '').trim()
  return { name, title, summary, markdown, folder, isForUsers }
}
