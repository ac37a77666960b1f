import { linkSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY } from '../../../pipeline/core/clock.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { createFetcher } from '../../../pipeline/fetch/http.ts'
import {
  findBundles,
  listInstalledBundles,
} from '../../../pipeline/storyboards/bundles/bundle-folder.ts'
import { checkBundle } from '../../../pipeline/storyboards/bundles/check-bundle.ts'
import { fetchBundles } from '../../../pipeline/storyboards/bundles/fetch-bundles.ts'
import { chooseBundles } from '../../../pipeline/storyboards/bundles/named-bundles.ts'
import {
  chooseTargets,
  findEntry,
  listApplicable,
  listStoryboards,
  listTargets,
  openCatalog,
  readStoryboard,
} from '../../../pipeline/storyboards/catalog.ts'
import { checkSchema } from '../../../pipeline/storyboards/schemas.ts'
import { listShown } from '../../../pipeline/storyboards/shown-specialisms.ts'
import {
  closeCatalog,
  makeBundle,
  makeFolder,
  packFolder,
  replaceIn,
} from '../../support/fixtures/bundles.ts'
import { generousRates, generousTimeouts } from '../../support/registry/generous-limits.ts'
import type { Answer } from '../../support/servers/origin.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { closeAfterTest, createFetcherTo, now, startOrigin } from '../../support/worlds/fetching.ts'

const ADDRESS = 'https://bundles.example/3.1.0.tgz'

let root: string
let DATA_DIR: string

beforeEach(() => {
  root = makeFolder()
  DATA_DIR = makeFolder()
})
afterEach(() => {
  closeCatalog()
  for (const folder of [root, DATA_DIR]) rmSync(folder, { recursive: true })
})

test('a folder adds its target beside that of the installed package', () => {
  const before = listStoryboards().map(({ storyboard }) => storyboard.id)
  makeBundle(root, { withSchemas: true })
  expect(openCatalog({ STORYBOARDS: [root], DATA_DIR })).toEqual([])
  expect(listTargets()).toEqual([
    { target: '3.1', version: '3.1.0' },
    { target: '3.0', version: '3.0.6' },
  ])
  const ids = listStoryboards().map(({ storyboard }) => storyboard.id)
  expect(ids.filter(id => !id.includes(':'))).toEqual(before)
  expect(ids).toContain('3.1:added_here')
  const entry = findEntry('3.1:capability_discovery')!
  expect(entry.storyboard.title).toBe('Capabilities, as the next version has them')
  expect(findEntry('capability_discovery')!.storyboard.title).not.toBe(entry.storyboard.title)
  expect(readStoryboard(entry)).toMatchObject({
    id: '3.1:capability_discovery',
    source: { version: '3.1.0', target: '3.1' },
  })
  const { schemas } = entry.source
  expect(schemas).toBe(join(root, 'schemas'))
  const file = 'protocol/get-adcp-capabilities-response.json'
  expect(checkSchema(schemas!, file, {}, 'adcp')).toMatchObject({ place: '' })
})

test('an agent is tested by the targets that it speaks, and else by that of the package', () => {
  makeBundle(root)
  openCatalog({ STORYBOARDS: [root], DATA_DIR })
  const choose = (...adcp_supported_versions: string[]) =>
    chooseTargets({ adcp_supported_versions })
  expect(chooseTargets({})).toEqual(['3.0'])
  expect(choose('3.0', '3.1')).toEqual(['3.1', '3.0'])
  expect(choose('3.1.4')).toEqual(['3.1'])
  expect(choose('9.9')).toEqual(['3.0'])
  const list = (adcp_supported_versions: string[]) =>
    listApplicable({ name: 'a', tools: [], adcp_supported_versions }, 'adcp').map(
      ({ source }) => source.target,
    )
  expect(new Set(list(['3.0', '3.1']))).toEqual(new Set(['3.0', '3.1']))
  expect(new Set(list([]))).toEqual(new Set(['3.0']))
})

test('the newest bundle of a target is the one that is used, wherever it comes from', () => {
  makeBundle(join(root, 'a'), { version: '3.2.0-beta.2' })
  makeBundle(join(root, 'b'), { version: '3.2.0-beta.10' })
  makeBundle(join(root, 'c'), { version: '3.0.4' })
  expect(openCatalog({ STORYBOARDS: [root], DATA_DIR })).toEqual([])
  expect(listTargets().map(({ version }) => version)).toEqual(['3.2.0-beta.10', '3.0.6'])
  const older = join(root, 'c')
  expect(openCatalog({ STORYBOARDS: [older], DATA_DIR })).toEqual([
    `STORYBOARDS: ${older} has 3.0.4 and nothing newer than 3.0.6, which is there already.`,
  ])
  makeBundle(join(root, 'd'), { version: '3.0.10' })
  expect(openCatalog({ STORYBOARDS: [join(root, 'd')], DATA_DIR })).toEqual([])
})

test('a newer bundle replaces that of the package, with ids and own storyboards as before', () => {
  const before = listStoryboards().map(({ storyboard }) => storyboard.id)
  makeBundle(root, { version: '3.0.10' })
  expect(openCatalog({ STORYBOARDS: [root], DATA_DIR })).toEqual([])
  expect(listTargets()).toEqual([{ target: '3.0', version: '3.0.10' }])
  const entries = listStoryboards()
  expect(entries.map(({ storyboard }) => storyboard.id)).toEqual([...before, 'added_here'].sort())
  expect(new Set(entries.map(({ source }) => source.version))).toEqual(new Set(['3.0.10']))
  expect(findEntry('capability_discovery')!.storyboard.title).toMatch(/as the next version/)
  expect(findEntry('refused_requests')).toBeDefined()
  const { source } = findEntry('added_here')!
  expect(source.schemas).toBe(listInstalledBundles()[0]!.schemas)
  expect(listShown(findEntry('signal_owned')!)).toEqual([
    { specialism: 'signal-owned', role: 'signals', as: 'storyboard' },
  ])
})

const UNIVERSAL = 'compliance/universal'
const faulty: [what: string, spoil: () => void, sentence: RegExp][] = [
  ['that does not exist', () => rmSync(root, { recursive: true }), /does not exist/],
  [
    'without an index',
    () => rmSync(join(root, 'compliance/index.json')),
    /has no bundle: a folder with index\.json/,
  ],
  [
    'with an index of another form',
    () => replaceIn(join(root, 'compliance/index.json'), /"adcp_version"/, '"version"'),
    /has no bundle/,
  ],
  [
    'with a file that is no YAML',
    () => writeFileSync(join(root, UNIVERSAL, 'bad.yaml'), 'id: bad\nphases: [}'),
    /universal\/bad\.yaml: it cannot be read as YAML/,
  ],
  [
    'with a storyboard of another form',
    () => writeFileSync(join(root, UNIVERSAL, 'bad.yaml'), 'id: bad\nphases: []'),
    /universal\/bad\.yaml: version:/,
  ],
  [
    'with a storyboard that is too large',
    () => writeFileSync(join(root, UNIVERSAL, 'big.yaml'), `phases:\n${'#'.repeat(1_000_001)}`),
    /universal\/big\.yaml: the file is too large/,
  ],
  [
    'with more aliases than anybody writes',
    () => writeFileSync(join(root, UNIVERSAL, 'bomb.yaml'), `phases: []\n${writeAliases()}`),
    /universal\/bomb\.yaml: it cannot be read as YAML: it has too many values/,
  ],
  [
    'with a head that needs what is written below it',
    () => {
      const file = join(root, UNIVERSAL, 'added-here.yaml')
      replaceIn(file, /^title: (.*)/m, 'note: &words Words\ntitle: *words')
    },
    /universal\/added-here\.yaml: it cannot be read as YAML: unidentified alias/,
  ],
  [
    'with values nested deeper than anybody writes',
    () => writeFileSync(join(root, UNIVERSAL, 'deep.yaml'), `phases: ${'['.repeat(100_000)}`),
    /universal\/deep\.yaml: it cannot be read as YAML: nesting/,
  ],
  [
    'with a link to a file elsewhere',
    () => symlinkSync('/etc/hostname', join(root, UNIVERSAL, 'out.yaml')),
    /universal\/out\.yaml is a link/,
  ],
  [
    'with a link to a folder elsewhere',
    () => symlinkSync('/etc', join(root, 'compliance/test-kits/etc')),
    /test-kits\/etc is a link/,
  ],
]

function writeAliases(): string {
  const lists = Array.from({ length: 9 }, (_, at) => {
    const items =
      at === 0
        ? '1'
        : Array(10)
            .fill(`*a${at - 1}`)
            .join(', ')
    return `a${at}: &a${at} [${items}]`
  })
  return lists.join('\n')
}

test.each(faulty)('a folder %s is refused in words', (_what, spoil, sentence) => {
  makeBundle(root)
  spoil()
  const { bundles, faults } = chooseBundles({ STORYBOARDS: [root], DATA_DIR }, { checks: true })
  if (!isFolder(root)) mkdirSync(root)
  expect(bundles).toEqual(listInstalledBundles())
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(sentence)
})

function isFolder(folder: string): boolean {
  try {
    return readdirSync(folder).length >= 0
  } catch {
    return false
  }
}

test('a sound bundle has no fault', () => {
  makeBundle(root)
  expect(findBundles(root).flatMap(checkBundle)).toEqual([])
})

const settings = () => ({ STORYBOARDS: [ADDRESS], DATA_DIR })
const list = () => {
  const { bundles, faults } = chooseBundles(settings())
  return { bundles: bundles.filter(({ target }) => target !== '3.0'), faults }
}
const listStore = () => readdirSync(join(DATA_DIR, 'storyboards'))

async function serve(answer: Answer) {
  const clock = testClock(now)
  const origin = await startOrigin(answer)
  const fetcher = createFetcherTo(origin.url, { clock })
  const fetch = (more = {}) =>
    fetchBundles(settings(), { fetcher, clock, limits: { ...limits, ...more } })
  return { origin, clock, fetch }
}

test('a bundle at an address is stored under its hash, and a later start needs no network', async () => {
  makeBundle(root, { withSchemas: true })
  let body: Buffer | undefined = packFolder(root)
  const { origin, clock, fetch } = await serve((_request, response) =>
    body ? response.end(body) : response.writeHead(500).end(),
  )
  expect(list().faults).toEqual([`STORYBOARDS: ${ADDRESS} has not been fetched yet.`])
  expect(await fetch()).toEqual([])
  expect(list()).toMatchObject({ bundles: [{ version: '3.1.0' }], faults: [] })
  expect(listStore().filter(name => name.startsWith('.'))).toEqual([])
  expect(await fetch()).toEqual([])
  expect(origin.asked).toHaveLength(1)
  clock.tick({ days: 2 })
  body = undefined
  const [fault] = await fetch()
  expect(fault).toMatch(/cannot be fetched: .*500; the one that was fetched before is used/)
  expect(list()).toMatchObject({ bundles: [{ version: '3.1.0' }], faults: [] })
  replaceIn(join(root, 'compliance/index.json'), /"3\.1\.0"/, '"3.1.1"')
  body = packFolder(root)
  expect(await fetch()).toEqual([])
  expect(list()).toMatchObject({ bundles: [{ version: '3.1.1' }] })
  expect(openCatalog(settings())).toEqual([])
  expect(findEntry('3.1:added_here')).toBeDefined()
})

const hostile: [what: string, make: () => Buffer | Promise<Buffer>, sentence: RegExp][] = [
  ['that is a page', () => Buffer.from('<html></html>'), /it is no gzipped archive/],
  ['that holds no files', () => gzipSync(Buffer.alloc(10_240)), /no tar archive with files/],
  ['that is cut off', () => packFolder(root).subarray(0, 40_000), /it is no gzipped archive/],
  [
    'whose last file is cut off',
    () => gzipSync(writeTar('compliance/index.json', 100_000).subarray(0, 2_048)),
    /it is cut off/,
  ],
  ['with too many files', async () => gzipSync(await packEmpty(10_001)), /it has too many files/],
  ['that unpacks to too much', () => gzipSync(Buffer.alloc(100_000_001)), /too many bytes/],
  [
    'whose names leave the folder',
    () => packFolder(root, '--transform', 's,^./compliance/universal,../../universal,'),
    /is no name of a file in it/,
  ],
  [
    'whose names begin at the root',
    () => packFolder(root, '--transform', 's,^./compliance/universal,/tmp/universal,'),
    /is no name of a file in it/,
  ],
  [
    'with a link',
    () => {
      symlinkSync('/etc/passwd', join(root, UNIVERSAL, 'x.yaml'))
      return packFolder(root)
    },
    /is a link, or no plain file/,
  ],
  [
    'with a hard link',
    () => {
      const file = join(root, UNIVERSAL, 'a.yaml')
      writeFileSync(file, 'x: 1')
      linkSync(file, join(root, UNIVERSAL, 'b.yaml'))
      return packFolder(root)
    },
    /is a link, or no plain file/,
  ],
  [
    'with a storyboard of another form',
    () => {
      writeFileSync(join(root, UNIVERSAL, 'bad.yaml'), 'id: bad\nphases: []')
      return packFolder(root)
    },
    /universal\/bad\.yaml: version/,
  ],
]

/** Packs many files without content. */
async function packEmpty(count: number): Promise<Uint8Array> {
  const names = Array.from({ length: count }, (_, at) => `${at}.json`)
  return packTar(names.map(name => ({ header: { name, size: 0 } })))
}

/** Writes the head and the content of one file, as an archive has them. */
function writeTar(name: string, bytes: number): Buffer {
  const head = Buffer.alloc(512)
  head.write(name, 0)
  head.write(bytes.toString(8).padStart(11, '0'), 124)
  head.write('0', 156)
  return Buffer.concat([head, Buffer.alloc(bytes, 'x')])
}

test.each(hostile)(
  'an archive %s is refused in words, and nothing of it stays',
  async (_what, make, sentence) => {
    makeBundle(root)
    const body = await make()
    const { fetch } = await serve((_request, response) => response.end(body))
    const faults = await fetch()
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(sentence)
    expect(faults[0]).toMatch(/agents are tested without it\.$/)
    expect(listStore()).toEqual([])
    expect(list().bundles).toEqual([])
  },
)

test('an archive is fetched within its bytes and its time', async () => {
  makeBundle(root)
  const body = packFolder(root)
  const { fetch } = await serve((_request, response, path) => {
    if (!path.includes('slow')) response.end(body)
  })
  expect((await fetch({ storyboardBundleBytes: 10_000 }))[0]).toMatch(/cannot be fetched/)
  const slow = await serve(() => undefined)
  expect((await slow.fetch({ storyboardBundleMs: 50 }))[0]).toMatch(/cannot be fetched/)
  expect(listStore()).toEqual([])
})

test('an address in a private network is refused by the guard', async () => {
  const fetcher = closeAfterTest(
    createFetcher({
      hostConcurrency: 1,
      addressConcurrency: 1,
      contact: 'https://registry.example/crawler',
      limits: { ...generousTimeouts, ...generousRates },
      clock: testClock(now),
    }),
  )
  const STORYBOARDS = [
    'https://127.0.0.1/a.tgz',
    'https://10.0.0.1/a.tgz',
    'https://localhost/a.tgz',
  ]
  const faults = await fetchBundles(
    { STORYBOARDS, DATA_DIR },
    { fetcher, limits, clock: testClock(now + DAY) },
  )
  expect(faults).toHaveLength(3)
  for (const fault of faults) expect(fault).toMatch(/cannot be fetched/)
})
