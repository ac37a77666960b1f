import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listGuides } from '../../api/pages/guides.ts'
import { youngObjectsOption } from '../../pipeline/core/thread.ts'

const root = join(import.meta.dirname, '../..')

/** Lists the READMEs below a folder, and the documents of the root. */
function listDocuments(): string[] {
  const folders = ['api', 'data', 'docs', 'jobs', 'pipeline', 'scripts', 'test']
  const below = folders.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map(name => `${folder}/${name}`)
      .filter(name => /(^|\/)README\.md$/.test(name) || /^docs\/.*\.md$/.test(name)),
  )
  const own = ['README', 'ARCHITECTURE', 'CONTRIBUTING', 'SECURITY', 'CHANGELOG']
  return [...own.map(name => `${name}.md`), ...below.filter(name => !name.includes('data/var'))]
}

/** Folders that a path in a document may be relative to. */
const rooms = ['', 'pipeline/', 'data/', 'docs/']

/** Beginnings of paths that exist only in a data folder or after a build. */
const derivedPath = /^(DATA_DIR|dist|node_modules|data\/var|DIR|<|~|\/)/

/** Lists the paths of files and folders of ours that a text names in code or links to. */
function listPaths(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '')
  const code = Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, word]) => word!)
  const files = code.filter(
    word => /^[\w./-]+\.(ts|mjs|sql|md|yml)$/.test(word) && !derivedPath.test(word),
  )
  const folders = code.filter(word => /^(\.\.\/)?[\w-]+\/[\w/-]*\/?$/.test(word) && isOurs(word))
  const links = Array.from(prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g), ([, link]) => link!)
  return [...new Set([...files, ...folders, ...links])]
}

function isOurs(path: string): boolean {
  return (
    /^(\.\.\/)?(api|data|docs|jobs|pipeline|scripts|test)\//.test(path) && !derivedPath.test(path)
  )
}

/** Tells whether a path that a document names is there: from the document, the root or a room. */
function isThere(document: string, path: string): boolean {
  const places = [dirname(document), ...rooms, `${dirname(document)}/..`]
  return places.some(place => existsSync(join(root, place, path)))
}

describe.each(listDocuments())('%s', document => {
  const text = readFileSync(join(root, document), 'utf8')

  test('names only files and folders that are there', () => {
    expect(listPaths(text).filter(path => !isThere(document, path))).toEqual([])
  })
})

const typeset = listDocuments().filter(name => /^(?:docs\/|README|CHANGELOG)/.test(name))

test.each(typeset)('%s has the apostrophe of its pages, ’', document => {
  const prose = readFileSync(join(root, document), 'utf8')
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, 'code')
  expect(prose.match(/\w'\w+|\w+s'(?=\s)/g) ?? []).toEqual([])
})

test('guides call other documents by their titles, and tests by what they show', () => {
  const named = listGuides().flatMap(({ name, markdown }) =>
    Array.from(
      markdown
        .replace(/^```[\s\S]*?^```/gm, '')
        .replace(/\]\([^)]*\)/g, ']')
        .matchAll(/[\w./-]+\.(?:md|test\.ts)\b/g),
      ([file]) => `${name}: ${file}`,
    ),
  )
  expect(named).toEqual([])
})

test('a path that is not there would be found', () => {
  const paths = listPaths('see `writer/no-such.ts`, [x](docs/none.md) and `pipeline/nowhere/`')
  expect(paths.filter(path => !isThere('README.md', path))).toEqual(paths)
  expect(paths).toHaveLength(3)
})

test('one version of Node is named everywhere: that of package.json', () => {
  const read = (name: string) => readFileSync(join(root, name), 'utf8')
  const [, wanted] = /"node": ">=(\d+)\./.exec(read('package.json'))!
  const places = [
    'README.md',
    'CONTRIBUTING.md',
    'docs/operate/install.md',
    'Dockerfile',
    'action.yml',
  ]
  const named = [
    ...places,
    '.github/workflows/bench.yml',
    '.github/workflows/ci.yml',
    '.github/workflows/release.yml',
  ].map(place => [
    place,
    ...new Set(
      Array.from(
        read(place).matchAll(/(?:Node |node:|node-version: )(\d+)/g),
        ([, major]) => major,
      ),
    ),
  ])
  expect(named).toEqual(named.map(([place]) => [place, wanted]))
})

test('README.md has at most 900 words', () => {
  const words = readFileSync(join(root, 'README.md'), 'utf8').match(/\S+/g) ?? []
  expect(words.length).toBeLessThanOrEqual(900)
})

/** Steps of the walks in pipeline/README.md: the table rows below that heading. */
const walks = readFileSync(join(root, 'pipeline/README.md'), 'utf8')
  .split('## Three walks')[1]!
  .split('\n## ')[0]!

test('each step of the three walks names a file', () => {
  const rows = walks.match(/^\| (?!step|---).*\|$/gm) ?? []
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.filter(row => !/`[\w./-]+\.ts`/.test(row))).toEqual([])
})

test('.dockerignore lets everything through that the Dockerfile copies', () => {
  const read = (name: string) => readFileSync(join(root, name), 'utf8')
  const context = read('.dockerignore')
    .match(/^!\S+/gm)!
    .map(line => line.slice(1))
  const copied = Array.from(read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)).flatMap(
    ([, sources]) => sources!.split(' '),
  )
  expect(copied.length).toBeGreaterThan(3)
  const open = copied.filter(source => source !== '.')
  expect(
    open.filter(source => !context.includes(source) || !existsSync(join(root, source))),
  ).toEqual([])
  expect(read('Dockerfile')).toContain(
    `ENTRYPOINT ["node", "${youngObjectsOption}", "dist/scripts/registry.js"]`,
  )
  expect(existsSync(join(root, 'scripts/registry.ts'))).toBe(true)
})

describe('.github/workflows/ci.yml', () => {
  const text = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')

  test('pins every action to a commit, and may only read', () => {
    const used = text.match(/uses: .*/g) ?? []
    expect(used.length).toBeGreaterThan(2)
    expect(used.filter(line => !/@[0-9a-f]{40} # v\d/.test(line))).toEqual([])
    expect(text.match(/permissions:\n(?: {2}.*\n)+/g)).toEqual(['permissions:\n  contents: read\n'])
  })

  test('runs what a contributor runs', () => {
    expect(text).toContain('run: .ci/run')
    expect(existsSync(join(root, '.ci/run'))).toBe(true)
  })
})
