import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SubmissionClient } from '../../../jobs/api-client/submission-client.ts'
import { SubmissionConsumer } from '../../../jobs/indexer/submission-consumer.ts'
import { SUBMISSIONS, toChannel } from '../../../jobs/queues.ts'
import { connectRedis, type Redis, waitUntilReady } from '../../../jobs/redis.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { type Answer, Operation, type Submission } from '../../../pipeline/model/submission.ts'
import { runWithin } from '../../support/checks/measured-work.ts'
import { drawValue } from '../../support/fixtures/arbitrary-values.ts'
import { drawMutation, mutate } from '../../support/fixtures/json-mutations.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { generousTimeouts } from '../../support/registry/generous-limits.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

/** Time for an answer: far below that of a writer that does not answer. */
const AT_ONCE_MS = 3_000

const redis = openForAll(startRedis)
const connections: Redis[] = []
const committed = new Set<string>()
let client: SubmissionClient
let consumer: SubmissionConsumer

async function connect(use: 'failFast' | 'waitForever'): Promise<Redis> {
  const connection = connectRedis(redis.url, use, silentLog)
  connections.push(connection)
  await waitUntilReady(connection)
  return connection
}

async function commit(submissions: Submission[]) {
  for (const { submission_id } of submissions) committed.add(submission_id)
  const answers = new Map<string, Answer>(
    submissions.map(({ submission_id }) => [submission_id, { done: {} }]),
  )
  return { seq: 1, at: 0, events: 0, answers }
}

beforeAll(async () => {
  const [commands, subscriber] = [await connect('failFast'), await connect('waitForever')]
  client = new SubmissionClient({ commands, subscriber }, generousTimeouts)
  const own = { blocking: await connect('waitForever'), commands: await connect('waitForever') }
  consumer = new SubmissionConsumer(own, { commit }, silentLog)
})

afterAll(async () => {
  await consumer.close()
  client.close()
  for (const connection of connections) connection.disconnect()
})

const odd = fc.constantFrom<unknown>(
  undefined,
  Number.NaN,
  '\ud800',
  new Date(0),
  Number.POSITIVE_INFINITY,
  -0,
)

/** Draws operations of one kind: such as the schema wants, and with one member that is odd. */
function drawOperation(kind: (typeof Operation.options)[number]): fc.Arbitrary<Operation> {
  const right = drawValue(kind) as fc.Arbitrary<Operation>
  const wrong = right.chain(made => drawMutation(made).map(change => mutate(made, change)))
  const strange = fc
    .tuple(right, fc.constantFrom(...Object.keys(kind.shape)), odd)
    .map(([made, name, value]) => ({ ...made, [name]: value }))
  return fc.oneof(right, wrong, strange) as fc.Arbitrary<Operation>
}

it.each(Operation.options.map(kind => [kind.shape.op.value, kind] as const))(
  '%s passes the check of the writer whenever it passes that of the sender',
  async (_, kind) => {
    await fc.assert(
      fc.asyncProperty(drawOperation(kind), async operation => {
        const submission_id = randomUUID()
        const submission = { submission_id, operation } as Submission
        const answer = await runWithin(AT_ONCE_MS, () => client.submit(submission))
        expect('done' in answer).toBe(committed.has(submission_id))
      }),
      { numRuns: 40 },
    )
  },
)

it('a submission that the writer cannot read is refused at once, and others go on', async () => {
  const sender = await connect('failFast')
  const answers = await connect('waitForever')
  const received = new Map<string, Answer>()
  const ids = [randomUUID(), randomUUID(), randomUUID()] as const
  const metadata = { client_name: 'x'.repeat(16_384) }
  const register = { op: 'client.register', client_id: 'c', secret_hash: null, metadata }
  const known = { op: 'organization.create', org_id: randomUUID(), name: 'Known' }
  await answers.subscribe(toChannel('sender'))
  await runWithin(
    AT_ONCE_MS,
    () =>
      new Promise<void>(resolve => {
        answers.on('message', (_channel, text) => {
          for (const [id, answer] of JSON.parse(text)) received.set(id, answer)
          if (received.size === ids.length) resolve()
        })
        const texts = [register, known, { op: 'none.such' }].map((operation, i) =>
          JSON.stringify({ submission_id: ids[i], operation }),
        )
        const fields = [...texts, 'no JSON'].flatMap(text => ['submission', text])
        void sender.xadd(SUBMISSIONS.key, '*', 'client', 'sender', ...fields)
      }),
  )
  expect(ids.map(id => received.get(id))).toEqual([
    { refused: 'metadata: is too large' },
    { done: {} },
    { refused: expect.stringContaining('op: ') },
  ])
})
