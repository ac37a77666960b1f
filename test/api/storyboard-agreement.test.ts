import { expect, test } from 'vitest'
import { findOurs, findTheirs, runAgainst } from '../conformance/agreement/both.ts'
import { faults } from '../conformance/agreement/faults.ts'

/** A storyboard without dates: the public runner replaces those that have passed. */
const pairing = { tenant: 'signals', id: 'signals_baseline' }

/** Faults that show in it, one of a kind; `npm run conformance:agreement` tries all in every storyboard. */
const shown = [
  'answers reads with status 500',
  'hangs up on writes',
  'answers with a page of HTML',
  'answers without content',
  'refuses writes for now',
  'changes the context',
  'says nothing of protocols',
  'names its versions by texts',
  'writes null for a description',
]

test('the public client’s runner and ours pass the same agent', async () => {
  const [ours, theirs] = [
    await runAgainst(pairing, findOurs),
    await runAgainst(pairing, findTheirs),
  ]
  expect([ours.first, ours.passed]).toEqual([undefined, theirs.passed])
  expect(theirs.first).toBeUndefined()
  expect(theirs.passed).toBeGreaterThan(3)
})

test('neither runs a storyboard of whose tasks the agent offers none', async () => {
  const sessions = { tenant: 'sales', id: 'si_baseline' }
  for (const find of [findOurs, findTheirs])
    expect(await runAgainst(sessions, find)).toMatchObject({ first: undefined, passed: 0 })
})

test.each(shown)('both see the same step fail first in an agent that %s', async name => {
  const fault = faults.find(other => other.name === name)!
  const ours = await runAgainst(pairing, findOurs, { fault })
  expect(ours.first).toBeDefined()
  expect((await runAgainst(pairing, findTheirs, { fault })).first).toBe(ours.first)
})
