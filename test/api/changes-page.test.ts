import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { predicates } from '../../api/pages/parts/change-words.ts'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const GAZETTE = 'gazette.example'
/** So many that their changes fill more than two pages. */
const PAPERS = 450
const agents = ['one', 'two', 'three'].map(name => `https://${name}.example/mcp`)
const registry = openForAll(openRegistry)

beforeAll(async () => {
  await registry.observe(
    observeBrandFile(GAZETTE, 'Willowsummit Gazette'),
    observePublisherFile(GAZETTE, { sites: [GAZETTE], agents: [agents[0]!] }),
  )
  registry.clock.tick({ days: 1 })
  await registry.observe(observePublisherFile(GAZETTE, { sites: [GAZETTE], agents }))
  registry.clock.tick({ days: 1 })
  const many = Array.from({ length: PAPERS }, (_, number) => `paper-${number}.example`)
  await registry.observe(
    ...many.map(domain =>
      observePublisherFile(domain, {
        sites: [domain],
        agents: [`https://${'x'.repeat(900)}.example/${domain}`],
      }),
    ),
  )
})

const read = async (path: string) => {
  const answer = await registry.app.inject(path)
  expect([path, answer.statusCode]).toEqual([path, 200])
  expect(answer.rawPayload.length).toBeLessThan(60 * 1024)
  return load(answer.body)
}

/** Reads the stories of all pages, following the links between them. */
async function readStories(first: string): Promise<string[]> {
  const stories: string[] = []
  for (let path: string | undefined = first; path !== undefined; ) {
    const page = await read(path)
    stories.push(
      ...page('.stories ul > li')
        .map((_, story) => page(story).text())
        .get(),
    )
    path = page('a[rel="next"]').attr('href')
  }
  return stories
}

test('what a domain did at one moment is one sentence, by the name of its brand', async () => {
  const stories = await readStories('/changes')
  const own = stories.filter(story => story.startsWith('Willowsummit Gazette (gazette.example)'))
  expect(own[0]).toContain('changed its adagents.json and authorized two agents.')
  expect(own[0]).toMatch(/(two|three)\.example\/mcp · (two|three)\.example\/mcp/)
  expect(own[1]).toContain(
    'had its adagents.json read for the first time, authorized one agent and added one',
  )
})

test('a changed property is named with what changed of it, unless the same story adds it', async () => {
  const own = await openRegistry()
  const file = observePublisherFile(GAZETTE, { sites: [GAZETTE], agents })
  await own.observe(file)
  own.clock.tick({ days: 1 })
  const { document } = structuredClone(file) as { document: { properties: { tags: string[] }[] } }
  document.properties[0]!.tags = ['news']
  await own.observe({ ...file, document } as never)
  await own.publish()
  const story = load((await own.app.inject('/changes')).body)('.stories ul > li')
    .first()
    .text()
  expect(story).toContain('changed one property')
  expect(story).toContain(`Property: ${GAZETTE} (tags)`)
  await own.close()
})

test('no change is lost between pages, and none is told twice', async () => {
  const stories = await readStories('/changes?type=publisher.adagents_discovered')
  expect(stories).toHaveLength(PAPERS + 1)
  expect(new Set(stories).size).toBe(PAPERS + 1)
})

test('many first files of one moment are one story on a page, which says where the moment goes on', async () => {
  const stories = await readStories('/changes')
  const many = stories.flatMap(
    story =>
      /^The registry read the adagents\.json of (.*) for the first time\..* and more$/
        .exec(story)
        ?.slice(1) ?? [],
  )
  expect(many).toEqual(['many publishers', expect.stringMatching(/^\w+ more publishers$/)])
})

test('a page without a change of some type does not wait for the first crawl', async () => {
  const page = await read('/changes?type=property.merged')
  expect(page('main .empty').text()).toBe('No changes of this type in the last 90 days.')
})

test('many new agents of one moment are one story', async () => {
  const stories = await readStories('/changes')
  const grouped = stories.filter(story => /agents? w(?:as|ere) authorized for/.test(story))
  expect(grouped[0]).toMatch(/^Many agents were authorized for the first time\.x{9}.* and more$/)
  expect(stories.filter(story => story.startsWith('xxx'))).toEqual([])
})

test('the changes of a domain are those of its brand, its file, its properties and its grants alone', async () => {
  await registry.publish()
  const page = await read(`/changes?domain=${GAZETTE.toUpperCase()}`)
  expect(page('footer').text()).not.toMatch(/Policies|Mirrors/)
  expect(page('h1').text()).toBe(`Changes for ${GAZETTE}`)
  expect(page('input[name=domain]').val()).toBe(GAZETTE)
  const changes = page('.timeline li li')
    .toArray()
    .map(change => page(change).text())
  expect(changes).toContain('new brand Willowsummit Gazette')
  expect(changes).toContain('authorized three.example/mcp')
  expect(page('.timeline').text()).not.toContain('paper-')
  const unknown = await read('/changes?domain=unknown.example')
  expect(unknown('main .empty').text()).toBe('No changes recorded for unknown.example.')
})

test.each(['/changes', '/workshop'])(
  '%s keeps its form and what was entered as a domain',
  async path => {
    const answer = await registry.app.inject(`${path}?domain=no!`)
    const page = load(answer.body)
    expect([answer.statusCode, page('main [role=alert]').text()]).toEqual([
      400,
      '“no!” isn’t a valid domain. Enter a domain such as acme.example.',
    ])
    expect(page('main form input[name=domain]').val()).toBe('no!')
  },
)

test('there are words for every type of event', () => {
  expect(Object.keys(predicates).sort()).toEqual([...eventTypeNames].sort())
})
