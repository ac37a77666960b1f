import { describe, expect, it } from 'vitest'
import { deriveId } from '../../../pipeline/core/uuid-v7.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { type Answer, Operation, type Submission } from '../../../pipeline/model/submission.ts'
import type { Sequencer, Step } from '../../../pipeline/writer/sequencer.ts'
import { buildOrganizationWrite } from '../../support/fixtures/submissions.ts'
import { observeAgent } from '../../support/registry/members.ts'
import { createDataDir, openSequencer, openTestSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const url = 'https://agent.acme.example/mcp'

interface World {
  registry: Sequencer
  clock: ReturnType<typeof testClock>
  ask(...operations: Record<string, unknown>[]): Promise<Answer>
  deliver(...submissions: Submission[]): Promise<Answer[]>
  listProbedAgents(): Promise<string[]>
  visibilities(): Promise<Record<string, string>>
}

let count = 0
const buildSubmission = (operation: Record<string, unknown>): Submission => ({
  submission_id: deriveId('submission', String(count++)),
  operation: Operation.parse({ org: 'Acme', ...operation }),
})

async function runWithAccounts(work: (world: World) => Promise<void>, tier = 'company_leader') {
  const clock = testClock('2026-11-20T03:00Z')
  const registry = await openTestSequencer(clock)
  const deliver = async (...submissions: Submission[]) => {
    const { answers } = await registry.commit({ observations: [], submissions })
    return submissions.map(({ submission_id }) => answers.get(submission_id)!)
  }
  const ask = async (...operations: Record<string, unknown>[]) =>
    (await deliver(...operations.map(buildSubmission))).at(-1)!
  await deliver(buildOrganizationWrite('Acme'), buildOrganizationWrite('Other'))
  await ask({ op: 'member.tier', tier }, { op: 'member.create' })
  await work({
    registry,
    clock,
    ask,
    deliver,
    async listProbedAgents() {
      const rows = await registry.index.all<{ location: string }>(
        `select location from crawl_state where kind = 'agent' and due_at is not null order by location`,
      )
      return rows.map(({ location }) => location)
    },
    async visibilities() {
      const rows = await registry.accounts.db.all<{ agent_url: string; visibility: string }>(
        'select agent_url, visibility from member_agents order by position',
      )
      return Object.fromEntries(rows.map(row => [row.agent_url, row.visibility]))
    },
  })
  expect(await verify(registry)).toEqual([])
}

const visibilities = ({ accounts }: Sequencer) =>
  accounts.db
    .all<{ visibility: string }>('select visibility from member_agents')
    .map(row => row.visibility)

const refusal = (answer: Answer) => ('refused' in answer ? answer : undefined)

describe('a member', () => {
  it('has a unique slug made of its name', () =>
    runWithAccounts(async ({ ask, registry, deliver }) => {
      const createSlug = async (operation: object) => {
        const answer = await ask({ op: 'member.create', org: 'Other', ...operation })
        return 'done' in answer ? answer.done.slug : answer.refused
      }
      expect(await createSlug({ slug: 'acme' })).toBe('another member has the slug acme')
      expect(await createSlug({ display_name: ' Ácme ' })).toBe('acme-2')
      expect(await createSlug({})).toBe('Other is already a member')
      await deliver(buildOrganizationWrite('ACME'), buildOrganizationWrite('株式会社'))
      expect(await createSlug({ org: 'ACME' })).toBe('acme-3')
      expect(await createSlug({ org: '株式会社' })).toBe('member')
      const slugs = await registry.accounts.db.all(
        'select slug, is_public from members order by slug',
      )
      expect(slugs).toEqual([
        { slug: 'acme', is_public: false },
        { slug: 'acme-2', is_public: false },
        { slug: 'acme-3', is_public: false },
        { slug: 'member', is_public: false },
      ])
    }))

  it('changes the given fields and keeps the rest', () =>
    runWithAccounts(async ({ ask, registry }) => {
      await ask({ op: 'member.update', display_name: 'Acme Inc', is_founding: true })
      await ask({ op: 'member.update', is_public: true })
      expect(
        await registry.accounts.db.all(
          'select slug, display_name, is_founding, is_public from members',
        ),
      ).toEqual([{ slug: 'acme', display_name: 'Acme Inc', is_founding: true, is_public: true }])
      expect(refusal(await ask({ op: 'member.update', org: 'Other' }))).toEqual({
        refused: 'Other is not a member',
        error: 'not_found',
      })
    }))

  it('keeps a domain until it is removed', () =>
    runWithAccounts(async ({ ask }) => {
      const add = (org: string) =>
        ask({ op: 'organization.domain.add', org, domain: 'Acme.example', proof: 'dns_txt' })
      const remove = (org: string) =>
        ask({ op: 'organization.domain.remove', org, domain: 'acme.example' })
      expect(await add('Acme')).toMatchObject({ done: { domain: 'acme.example' } })
      expect(await add('Acme')).toMatchObject({ done: {} })
      expect(refusal(await add('Other'))?.error).toBe('conflict')
      expect(refusal(await remove('Other'))?.error).toBe('not_found')
      await remove('Acme')
      expect(await add('Other')).toMatchObject({ done: { proof: 'dns_txt' } })
    }))

  it.each([
    { op: 'member.create', org: 'Nobody' },
    { op: 'member.tier', org: 'Nobody', tier: null },
    { op: 'member.agent.save', org: 'Nobody', url, type: 'sales' },
    { op: 'organization.domain.add', org: 'Nobody', domain: 'a.example', proof: 'http' },
  ])('requires an existing organization: $op', operation =>
    runWithAccounts(async ({ ask }) => {
      expect(await ask(operation)).toEqual({
        refused: 'there is no organization called Nobody',
        error: 'not_found',
      })
    }),
  )
})

describe('an agent of a member', () => {
  it('is private by default, and changes only on request', () =>
    runWithAccounts(async ({ ask }) => {
      const save = (more: object) => ask({ op: 'member.agent.save', url: `${url}/`, ...more })
      expect(refusal(await save({ name: 'A' }))?.refused).toBe('a new agent requires a type')
      expect(await save({ type: 'sales', name: 'A' })).toMatchObject({
        done: { agent: { url, type: 'sales', visibility: 'private' }, is_new: true },
      })
      expect(await save({ visibility: 'public' })).toMatchObject({
        done: { agent: { url, type: 'sales', name: 'A', visibility: 'public' }, is_new: false },
      })
    }))

  it('is visible to members only where its member has no API access', () =>
    runWithAccounts(async ({ ask, visibilities, listProbedAgents }) => {
      const answer = await ask({
        op: 'member.agent.save',
        url,
        type: 'sales',
        visibility: 'public',
      })
      expect(answer).toMatchObject({
        done: {
          agent: { visibility: 'members_only' },
          warnings: [
            {
              code: 'visibility_downgraded',
              agent_url: url,
              reason: 'tier_required',
              requested: 'public',
              applied: 'members_only',
            },
          ],
        },
      })
      expect([await visibilities(), await listProbedAgents()]).toEqual([
        { [url]: 'members_only' },
        [],
      ])
    }, 'individual_academic'))

  it('is hidden when the tier ends, and stays hidden when it returns', () =>
    runWithAccounts(async ({ ask, visibilities, listProbedAgents }) => {
      await ask({ op: 'member.agent.save', url, type: 'sales', visibility: 'public' })
      expect(await listProbedAgents()).toEqual([url])
      expect(await ask({ op: 'member.tier', tier: 'individual_academic' })).toMatchObject({
        done: { demoted: 1 },
      })
      await ask({ op: 'member.tier', tier: 'company_leader' })
      expect([await visibilities(), await listProbedAgents()]).toEqual([
        { [url]: 'members_only' },
        [],
      ])
    }))

  it('can be removed once it is not public', () =>
    runWithAccounts(async ({ ask, visibilities }) => {
      await ask({ op: 'member.agent.save', url, type: 'sales', visibility: 'public' })
      const remove = () => ask({ op: 'member.agent.remove', url })
      expect(refusal(await remove())).toMatchObject({ error: 'unpublish_first' })
      await ask({ op: 'member.agent.save', url, visibility: 'private' })
      expect(await remove()).toMatchObject({ done: { url } })
      expect(refusal(await remove())).toMatchObject({ error: 'not_found' })
      expect(await visibilities()).toEqual({})
    }))

  it.each(['acme.example', 'ftp://acme.example', 'https://a.example/?x', 'https://a.example/#x'])(
    'needs a valid agent address, not %s',
    wrong => {
      const operation = { op: 'member.agent.save', org: 'Acme', url: wrong, type: 'sales' }
      expect(Operation.safeParse(operation).success).toBe(false)
    },
  )
})

describe('the index learns of members', () => {
  const save = (agent: string, visibility: string) => ({
    op: 'member.agent.save',
    url: agent,
    type: 'sales',
    visibility,
  })

  it('which agents are public: they are probed', () =>
    runWithAccounts(async ({ ask, listProbedAgents, registry }) => {
      await ask(save(url, 'public'), save('https://m.example', 'members_only'))
      await ask(save('https://p.example', 'private'))
      expect(await listProbedAgents()).toEqual([url])
      await ask(
        { op: 'member.create', org: 'Other' },
        { op: 'member.tier', org: 'Other', tier: 'company_icl' },
      )
      await ask({ ...save(url, 'public'), org: 'Other' })
      await ask(save(url, 'private'))
      expect(await listProbedAgents(), 'another member shows it').toEqual([url])
      expect(await registry.index.all('select agent_url from enrolled_agents')).toHaveLength(1)
    }))

  it('when an agent is hidden: it is deleted, and a probe under way does not bring it back', () =>
    runWithAccounts(async ({ ask, registry, clock }) => {
      await ask(save(url, 'public'))
      const observation = (): Observation => ({
        ...observeAgent(url, { claims: ['news.example'] }),
        outcome: 'ok',
        observed_at: clock.now(),
      })
      await registry.commit({ observations: [observation()], submissions: [] })
      const rows = async () =>
        (await registry.index.one<{ n: number }>(
          `select (select count(*) from documents) + (select count(*) from crawl_state)
             + (select count(*) from agent_profiles) + (select count(*) from enrolled_agents)
             + (select count(*) from agent_claims) as n`,
        ))!.n
      expect(await rows()).toBe(5)
      await ask(save(url, 'members_only'))
      expect(await rows()).toBe(0)
      clock.tick({ minutes: 1 })
      await registry.commit({ observations: [observation()], submissions: [] })
      expect(await rows()).toBe(0)
    }))

  it('in the commit that changes them: one that fails changes nothing', async () => {
    const clock = testClock('2026-11-20T03:00Z')
    const opening = { dataDir: createDataDir(), clock }
    let isFailing = false
    const onStep = (step: Step, moment: string) => {
      if (isFailing && step === 'index' && moment === 'before') throw new Error('the disk failed')
    }
    const before = await openSequencer({ ...opening, onStep })
    const commit = (...submissions: Submission[]) =>
      before.commit({ observations: [], submissions })
    await commit(
      buildOrganizationWrite('Acme'),
      buildSubmission({ op: 'member.tier', tier: 'company_icl' }),
    )
    await commit(buildSubmission({ op: 'member.create' }), buildSubmission(save(url, 'public')))
    const hidden = buildSubmission(save(url, 'private'))
    isFailing = true
    await expect(commit(hidden)).rejects.toThrow('the disk failed')
    expect(visibilities(before)).toEqual(['public'])
    expect(await verify(before)).toEqual([])
    await before.close()

    const after = await openSequencer(opening)
    expect(after.seq, 'nothing is left to catch up with').toBe(before.seq)
    expect(visibilities(after)).toEqual(['public'])
    expect(await after.index.all('select 1 from enrolled_agents')).toHaveLength(1)
    // Its submission was never acknowledged, so it is delivered again.
    await after.commit({ observations: [], submissions: [hidden] })
    expect(visibilities(after)).toEqual(['private'])
    expect(await after.index.all('select 1 from enrolled_agents')).toEqual([])
    expect(await verify(after)).toEqual([])
    await after.close()
  })

  it('only the current state, when an old submission is delivered again after a newer one', () =>
    runWithAccounts(async ({ ask, deliver, listProbedAgents }) => {
      const shown = buildSubmission(save(url, 'public'))
      await deliver(shown)
      await ask(save(url, 'private'))
      const [answer] = await deliver(shown)
      expect(answer).toMatchObject({ done: { agent: { visibility: 'public' } } })
      expect(await listProbedAgents()).toEqual([])
    }))
})
