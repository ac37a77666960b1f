import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { getDefinition } from '../../../pipeline/accounts/operations.ts'
import { Operation } from '../../../pipeline/model/submission.ts'

const folder = join(import.meta.dirname, '../../../pipeline/accounts')
const names = Operation.options.map(({ shape }) => shape.op.value)

test('each operation of the model is defined in exactly one file, and no other is defined', () => {
  const defined = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .flatMap(
      file => readFileSync(join(folder, file), 'utf8').match(/^ {2}'[a-z.]+'(?=: \{)/gm) ?? [],
    )
    .map(found => found.trim().slice(1, -1))
  expect(defined.toSorted()).toEqual(names.toSorted())
})

describe.each(names)('%s', name => {
  const definition = getDefinition({ op: name } as Operation)

  test('is applied to the accounts', () => {
    expect(definition.perform).toBeTypeOf('function')
  })

  test('has an inverse or a reason for having none', () => {
    const ways = ['invert', 'irreversible'].filter(way => way in definition)
    expect(ways).toHaveLength(1)
  })

  test('that needs its author to manage an organization names the organization', () => {
    const { right, membershipIn } = definition.requires ?? {}
    if (right) expect(membershipIn).toBeTypeOf('function')
  })
})
