import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { detectImageType } from '../../../pipeline/core/image-type.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { buildLogoSave, logoBytes, logoHash } from '../../support/fixtures/logos.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'

const logo = buildSubmission('logo', buildLogoSave('acme.example'))
const batch = { observations: [], submissions: [logo] }

describe('a crash', () => {
  test.each(['accounts', 'index'] as const)(
    'around the step %s leaves a logo that the next delivery completes',
    async stopped => {
      const dataDir = createDataDir()
      const first = await openSequencer({
        dataDir,
        onStep: (step, moment) => {
          const stopsHere = moment === (stopped === 'accounts' ? 'after' : 'before')
          if (step === stopped && stopsHere) throw new Error('the process is gone')
        },
      })
      await expect(first.commit(batch)).rejects.toThrow('the process is gone')
      await first.close()
      const second = await openSequencer({ dataDir })
      cleanUp(() => second.close())
      const { answers } = await second.commit(batch)
      expect(answers.get(logo.submission_id)).toMatchObject({ done: { status: 'pending' } })
      expect(readFileSync(second.paths.logoFile(logoHash)).equals(logoBytes)).toBe(true)
      await second.publish()
      expect(await verify(second)).toEqual([])
    },
  )
})

test('a refused logo leaves no image', async () => {
  const registry = await openSequencer()
  cleanUp(() => registry.close())
  await registry.commit({
    observations: [],
    submissions: [
      buildSubmission('down', { op: 'domain.takedown', domain: 'acme.example' as Domain }),
    ],
  })
  const { answers } = await registry.commit(batch)
  expect(answers.get(logo.submission_id)).toHaveProperty('refused')
  expect(existsSync(registry.paths.logoFile(logoHash))).toBe(false)
})

test('the type of an image follows from its first logoBytes', () => {
  const types = [
    ['89504e470d0a1a0a0000000d49484452', 'image/png'],
    ['ffd8ffe000104a46494600010100000100', 'image/jpeg'],
    ['474946383961', 'image/gif'],
    ['474946383761', 'image/gif'],
    ['524946461000000057454250565038580a', 'image/webp'],
    ['89504e470d0a1a0a', undefined],
    ['ffd8ff', undefined],
    ['474946383961'.slice(0, 10), undefined],
    ['5249464610000000574156456d742020', undefined],
    ['3c7376673e', undefined],
    ['', undefined],
  ] as const
  for (const [hex, type] of types) expect(detectImageType(Buffer.from(hex, 'hex'))).toBe(type)
})
