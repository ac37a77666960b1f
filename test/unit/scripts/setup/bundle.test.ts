import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../support/processes/command.ts'

const root = join(import.meta.dirname, '../../../..')
const { buildBundles, moveChunks, STAMP } = await import(
  pathToFileURL(join(root, 'scripts/setup/bundle.mjs')).href
)
const folder = makeTemporaryFolder()
afterAll(() => folder.remove())

/** Two programs that share modules, each of which tells where it is, one being loaded late. */
const modules = {
  'package.json': '{ "type": "module" }',
  'place/shared.js': `export class Name {}
    export const address = import.meta.url`,
  'place/late.js': 'export const address = import.meta.url',
  'one/first.js': `import { address, Name } from '../place/shared.js'
    const late = await import('../place/late.js')
    console.log(JSON.stringify([address, late.address, import.meta.url, Name.name]))`,
  'second.js': `import { Name as Other } from './place/shared.js'
    class Name {}
    console.log(JSON.stringify([Other.name, Name.name]))`,
}

beforeAll(async () => {
  for (const [name, text] of Object.entries(modules)) {
    const file = join(folder.path, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  await buildBundles(folder.path, ['one/first', 'second'])
  // What is left of them must not be needed.
  for (const name of ['place/shared.js', 'place/late.js']) {
    writeFileSync(join(folder.path, name), 'throw new Error("not bundled")')
  }
})

function run(name: string): unknown {
  return JSON.parse(execFileSync(process.execPath, [join(folder.path, name)], { encoding: 'utf8' }))
}

test('a bundled module has the address of the file that it was compiled to', () => {
  const addresses = ['place/shared.js', 'place/late.js', 'one/first.js'].map(
    name => pathToFileURL(join(folder.path, name)).href,
  )
  expect(run('one/first.js')).toEqual([...addresses, 'Name'])
})

test('classes keep the names that logs show of them', () => {
  expect(run('second.js')).toEqual(['Name', 'Name'])
})

test('a new build has what a process of the build before may still load, and nothing older', () => {
  const [first, second, third] = ['first', 'second', 'third'].map(name => join(folder.path, name))
  const build = (into: string, chunk: string, at: number, previous?: string) => {
    const files = [join(into, 'chunks', chunk), join(into, STAMP)]
    mkdirSync(join(into, 'chunks'), { recursive: true })
    for (const file of files) {
      writeFileSync(file, chunk)
      utimesSync(file, at, at)
    }
    if (previous !== undefined) moveChunks(previous, into)
    return readdirSync(join(into, 'chunks')).sort()
  }
  build(first!, 'pages-1.js', 1_000)
  expect(build(second!, 'pages-2.js', 2_000, first)).toEqual(['pages-1.js', 'pages-2.js'])
  expect(build(third!, 'pages-3.js', 3_000, second)).toEqual(['pages-2.js', 'pages-3.js'])
})
