import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadMirrors } from '../../../pipeline/accounts/mirrors.ts'
import { Accounts } from '../../../pipeline/accounts/store.ts'
import type { MirrorContent } from '../../../pipeline/model/mirror.ts'
import type { Answer, Operation, Submission } from '../../../pipeline/model/submission.ts'

const orgs = ['acme', 'other', 'third'] as const
const org = fc.constantFrom(...orgs)
const file = fc.integer({ min: 0, max: 3 })

/** Step of people on one mirror. */
const step = fc.oneof(
  fc.record({ does: fc.constant('publish' as const), file }),
  fc.record({ does: fc.constant('remove' as const) }),
  fc.record({ does: fc.constant('propose' as const), org, file }),
  fc.record({ does: fc.constantFrom('approve' as const, 'reject' as const), org, late: fc.nat(3) }),
  fc.record({ does: fc.constant('again' as const), which: fc.nat(50) }),
)

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** One that is approved, and one in whose place another one was published meanwhile. */
const both: Step[] = [
  { does: 'propose', org: 'acme', file: 1 },
  { does: 'approve', org: 'acme', late: 0 },
  { does: 'propose', org: 'other', file: 2 },
  { does: 'publish', file: 3 },
  { does: 'approve', org: 'other', late: 0 },
]

const editor = { kind: 'key', id: 'm', org_id: null } as const

interface Proposal {
  review_id: string
  digest: string
  file: number
  /** Version that was served when it was submitted. */
  base: number | undefined
  /** It was replaced or decided. */
  isOver: boolean
}

function buildContent(number: number): MirrorContent {
  return {
    document: { authorized_agents: [], catalog_etag: `${number}` },
    catalog_etag: `${number}`,
    superseded_by: null,
    publisher_domains: [],
    collections: [],
  }
}

test('a proposal is approved only for the mirror version that it was made for', async () => {
  let approved = 0
  let refused = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async steps => {
      const accounts = Accounts.open(':memory:')
      const handed: { submission: Submission; answer: Answer }[] = []
      const proposals = new Map<string, Proposal[]>(orgs.map(name => [name, []]))
      let served: number | undefined
      let seq = 0
      const deliver = (submission: Submission) => {
        const stamp = { now: Date.UTC(2026, 10, 20) + seq, seq: ++seq }
        return accounts.apply([submission], stamp).answers.get(submission.submission_id)!
      }
      const hand = async (operation: Operation) => {
        const submission = { submission_id: randomUUID(), operation }
        const answer = deliver(submission)
        handed.push({ submission, answer })
        return answer
      }
      const servedNow = () => {
        const [mirror] = loadMirrors(accounts.db, 'not removed', {})
        return mirror && Number(mirror.content.catalog_etag)
      }
      try {
        for (const step of steps) {
          const platform = 'video'
          if (step.does === 'publish') {
            const content = buildContent(step.file)
            await hand({ op: 'mirror.publish', platform, content, editor })
            served = step.file
          } else if (step.does === 'remove') {
            await hand({ op: 'mirror.remove', platform, force: true })
            served = undefined
          } else if (step.does === 'propose') {
            const answer = await hand({
              op: 'mirror.propose',
              platform,
              content: buildContent(step.file),
              editor: { ...editor, org_id: step.org },
              review_id: randomUUID(),
            })
            const { proposal_id, proposal_digest } = (answer as { done: Record<string, string> })
              .done
            const theirs = proposals.get(step.org)!
            for (const earlier of theirs) earlier.isOver = true
            theirs.push({
              review_id: proposal_id!,
              digest: proposal_digest!,
              file: step.file,
              base: served,
              isOver: false,
            })
          } else if (step.does === 'again') {
            const before = handed[step.which % Math.max(1, handed.length)]
            if (before) expect(await deliver(before.submission)).toEqual(before.answer)
          } else {
            const theirs = proposals.get(step.org)!
            const proposal = theirs[theirs.length - 1 - step.late]
            if (proposal === undefined) continue
            const { review_id, digest } = proposal
            const op = `review.${step.does}` as const
            const answer = await hand({ op, review_id, digest, reviewer: 'm', notes: 'read' })
            // One that says the same for the same mirror is the same, whenever it was handed in.
            const same = theirs.find(other => !other.isOver && other.digest === digest)
            const current = same?.review_id === review_id ? same : undefined
            const isApplicable = current && (step.does === 'reject' || current.base === served)
            expect('done' in answer).toBe(isApplicable === true)
            if (isApplicable && step.does === 'approve') served = proposal.file
            if (isApplicable) current.isOver = true
            if (step.does === 'approve' && isApplicable) approved += 1
            if (step.does === 'approve' && !isApplicable) refused += 1
          }
          expect(await servedNow()).toBe(served)
        }
      } finally {
        accounts.close()
      }
    }),
    { numRuns: 60, examples: [[both]] },
  )
  expect(approved).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
})
