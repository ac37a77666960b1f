import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { rowProjections } from '../../../pipeline/serving/projections/row-projections.ts'
import { listTables } from '../../../pipeline/store/table-files.ts'
import { buildKeyWrite, buildOrganizationWrite } from '../../support/fixtures/submissions.ts'
import { openTestSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

/** Tables of the record of which a part is public, with what shows it. */
const partlyPublic = {
  members: 'the profile, if its organization shows it, and public agents',
  mirrors: 'approved mirrors, without contacts',
  origins: 'since when a domain points to its hosted file',
}

it('the record has no table of which more is projected than the public part of three', () => {
  const projected = rowProjections.flatMap(({ store, tables }) =>
    store === 'accounts' ? tables : [],
  )
  expect([...projected].sort()).toEqual(Object.keys(partlyPublic))
  expect(listTables('accounts')).toEqual(expect.arrayContaining(Object.keys(partlyPublic)))
})

it('a serving store has no byte of a key, its label or its organization', async () => {
  const sequencer = await openTestSequencer(testClock())
  const submissions = [
    buildOrganizationWrite('Quietwater Holdings'),
    buildKeyWrite('Quietwater Holdings', 'label of nobody else'),
  ]
  await sequencer.commit({ observations: [], submissions })
  const [key] = sequencer.accounts.db.all<{ hash: string }>('select hash from api_keys')
  const bytes = readFileSync(sequencer.paths.servingFile).toString('latin1')
  for (const secret of [key!.hash, 'label of nobody else', 'Quietwater'])
    expect(bytes).not.toContain(secret)
})
