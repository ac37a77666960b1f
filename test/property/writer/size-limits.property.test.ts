import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rebuild } from '../../../pipeline/maintenance/rebuild.ts'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { Operation } from '../../../pipeline/model/submission.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { limitTime } from '../../support/checks/time-limit.ts'
import { type LargeShape, largeShapes } from '../../support/fixtures/large-files.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
  buildSubmission,
} from '../../support/fixtures/submissions.ts'
import { createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

const shapes = fc.constantFrom(...(Object.keys(largeShapes) as LargeShape[]))
/** A large file at its domain's own place, or at an address that the domain's file points to. */
const file = fc.record({
  shape: shapes,
  rows: fc.integer({ min: 20, max: 120 }),
  isPointedTo: fc.boolean(),
})
type File = typeof file extends fc.Arbitrary<infer Value> ? Value : never
const files = fc.array(file, { minLength: 14, maxLength: 14 })

/** Observes the n-th domain: its file, and the one that it points to. */
function observeDomain({ shape, rows, isPointedTo }: File, n: number, at: number) {
  const domain = `f${n}.example`
  const large = largeShapes[shape](rows, rows * 10, rows * 2)
  if (!isPointedTo) return [observeFile('adagents.json', domain, large, at)]
  const authoritative_location = `https://files.example/${n}.json`
  return [
    observeFile('adagents.json', domain, { authoritative_location }, at),
    observeFile('adagents.json', authoritative_location, large, at),
  ]
}

describe('any 14 files near the size limits', () => {
  it('leave a registry that commits, answers, restarts and can be repaired', async () => {
    const check = async (some: File[], areTogether: boolean) => {
      const clock = testClock('2026-11-20T03:00Z')
      const dataDir = createDataDir()
      const settings = { LIMITS: JSON.stringify({ commitRows: 100 }) }
      const open = () => openSequencer({ dataDir, clock, settings })
      let registry: Sequencer = await open()
      const observe = (named: typeof some) =>
        named.map((large, n) => observeDomain(large, n, clock.now()))
      const commit = async (observations: ReturnType<typeof observe>) => {
        const parts = areTogether ? [observations.flat()] : observations
        for (const part of parts) {
          const committing = registry.commit({ observations: part, submissions: [] })
          const save = buildBrandSave('Acme', 'told.example', `Brand ${registry.seq}`)
          await registry.commit({ observations: [], submissions: [save] })
          await committing
        }
      }
      const submissions = [buildOrganizationWrite('Acme'), buildProofWrite('Acme', 'told.example')]
      await registry.commit({ observations: [], submissions })
      await commit(observe(some))
      expect(await verify(registry)).toEqual([])
      for (let n = 0; n < 14; n++)
        expect(registry.serving.has('publisher', `f${n}.example`)).toBe(true)
      clock.tick({ days: 1 })
      await commit(observe([some[1]!, some[2]!, some[0]!]))
      const backup = `${createDataDir()}/backup`
      await registry.backUp(backup)
      await registry.close()
      await rebuild(dataDir)
      registry = await open()
      expect(await verify(registry)).toEqual([])
      const operation = Operation.parse({
        op: 'domain.takedown',
        domain: 'f3.example',
        reason: 'asked',
      })
      await registry.commit({
        observations: [],
        submissions: [buildSubmission('takedown', operation)],
      })
      expect(registry.serving.has('publisher', 'f3.example')).toBe(false)
      expect(await verify(registry)).toEqual([])
      await registry.close()
      await restore(dataDir, backup, { force: true })
      registry = await open()
      expect(await verify(registry)).toEqual([])
      await registry.close()
    }
    await fc.assert(fc.asyncProperty(files, fc.boolean(), limitTime(30, check)), { numRuns: 2 })
  }, 240_000)
})
