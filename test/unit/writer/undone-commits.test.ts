import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Operation } from '../../../pipeline/model/submission.ts'
import { readCheckpoint } from '../../../pipeline/store/checkpoint.ts'
import { openAsOfNow } from '../../../pipeline/store/record.ts'
import { buildLogoSave, logoHash } from '../../support/fixtures/logos.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { cleanUp, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { buildShop } from '../../support/worlds/nights.ts'

const domain = 'acme.example' as never
const takedown: Operation = { op: 'domain.takedown', domain }
const readmission: Operation = { op: 'domain.readmit', domain }

/** Opens a writer whose commits fail at their end while `isFull`. */
async function openFailing() {
  const clock = testClock('2026-11-20T03:00Z')
  const disk = { isFull: false }
  const registry = await openSequencer({
    clock,
    onStep(step, moment) {
      if (disk.isFull && step === 'index' && moment === 'before') throw new Error('disk full')
    },
  })
  cleanUp(() => registry.close())
  const commit = (name: string, operation: Operation) =>
    registry.commit({ observations: [], submissions: [buildSubmission(name, operation)] })
  const fail = async (name: string, operation: Operation) => {
    disk.isFull = true
    await expect(commit(name, operation)).rejects.toThrow('disk full')
    disk.isFull = false
  }
  const crawl = async () => {
    clock.tick({ minutes: 1 })
    const file = observeFile('adagents.json', domain, buildShop(domain), clock.now())
    await registry.commit({ observations: [file], submissions: [] })
    return registry.index.all<{ domain: string }>('select domain from publishers')
  }
  return { registry, clock, commit, fail, crawl }
}

describe('a commit that is undone', () => {
  test('leaves a domain taken down that it readmitted', async () => {
    const { registry, commit, fail, crawl } = await openFailing()
    await commit('down', takedown)
    await fail('up', readmission)
    expect(await crawl()).toEqual([])
    await commit('up again', readmission)
    expect(await crawl()).toEqual([{ domain }])
    expect(await registry.quietly(() => verify(registry))).toEqual([])
  })

  test('leaves a domain as it is that it took down', async () => {
    const { fail, crawl } = await openFailing()
    await fail('down', takedown)
    expect(await crawl()).toEqual([{ domain }])
  })

  test('leaves the picture of a logo, and one that is repeated deletes it', async () => {
    const { registry, commit, fail } = await openFailing()
    await commit('logo', buildLogoSave(domain))
    const picture = registry.paths.logoFile(logoHash)
    await fail('down', takedown)
    expect(existsSync(picture)).toBe(true)
    expect(await registry.quietly(() => verify(registry))).toEqual([])
    await commit('down', takedown)
    expect(existsSync(picture)).toBe(false)
  })
})

test('half a surrogate pair is set aside before it stops publication', async () => {
  const { registry, clock } = await openFailing()
  const observe = (name: string) => observeFile('adagents.json', name, buildShop(name), clock.now())
  const { document, ...shop } = observe('shop.example')
  const half = { ...(document as object), title: 'Shop \ud83d' } as never
  const files = [{ ...shop, document: half }, observe('other.example')]
  await registry.commit({ observations: files, submissions: [] })
  expect(await registry.index.all('select location from quarantine')).toEqual([
    { location: 'shop.example' },
  ])
  await registry.publish()
  expect(await registry.quietly(() => verify(registry))).toEqual([])
})

test('a commit that cannot be undone stops the writer', async () => {
  const { registry, commit } = await openFailing()
  await commit('down', takedown)
  const undoing = registry.quietly(() =>
    registry.index.transaction(async () => {
      registry.accounts.db.close()
      throw new Error('disk full')
    }),
  )
  const refusal = /disk full.*could not be undone: restart the registry/
  await expect(undoing).rejects.toThrow(refusal)
  await expect(commit('up', readmission)).rejects.toThrow(refusal)
})

test('a publication that cannot shorten its list of rows is a publication', async () => {
  const { registry, crawl } = await openFailing()
  await crawl()
  const { db } = registry.accounts
  db.exec("create trigger kept before delete on unpublished begin select raise(abort, 'no'); end")
  await registry.publish()
  expect(readCheckpoint(registry.paths)?.seq).toBe(registry.seq)
  db.exec('drop trigger kept')
  await crawl()
  await registry.publish()
  expect(db.all('select * from unpublished')).toEqual([])
  expect(await registry.quietly(() => verify(registry))).toEqual([])
})

test('a log that somebody reads is emptied later, and nobody waits for it', async () => {
  const { registry, commit } = await openFailing()
  await commit('down', takedown)
  const reader = openAsOfNow(registry.paths.record)
  await commit('up', readmission)
  expect(registry.accounts.db.emptyLog()).toBe(false)
  reader.close()
  expect(registry.accounts.db.emptyLog()).toBe(true)
})
