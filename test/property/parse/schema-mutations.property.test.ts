import { describe, expect, test } from 'vitest'
import { type AdagentsConfig, createAdagents } from '../../../api/inputs/create-adagents.ts'
import { PublicError } from '../../../pipeline/core/errors.ts'
import { faultCodes } from '../../../pipeline/model/fault-codes.ts'
import { type ProposedKind, proposedKinds } from '../../../pipeline/model/proposed-kind.ts'
import { checkFile } from '../../../pipeline/parse/check-file.ts'
import { listSchemaMutations, type Mutation } from '../../support/checks/schema-mutations.ts'
import { loadSchema } from '../../support/checks/schemas.ts'

const now = Date.parse('2026-11-20T03:00:00Z')

/** Rules of the public schema that are not enforced, and why. */
const deliberate = [
  {
    kind: 'adagents.json',
    place: 'authorized_agents',
    rule: 'minItems',
    because:
      'newer versions of the format let a catalog grant nothing: its list of agents is empty',
  },
]

function listFaults(kind: ProposedKind, document: unknown) {
  const bytes = Buffer.from(JSON.stringify(document))
  const { errors, warnings } = checkFile(kind, bytes, {
    domain: 'acme.example',
    now,
    maxFaults: 1_000,
  })
  return [...errors, ...warnings]
}

/** Tells whether a fault is at a place, around it or within it. */
function isNear(fault: string, field: string): boolean {
  return field === '' || fault === 'root' || fault.startsWith(field) || field.startsWith(fault)
}

/** Fixes that leave open what to write. */
const vagueFixes = new Set(
  (['wrong_type', 'bad_pattern', 'not_allowed', 'empty', 'missing'] as const).map(
    code => faultCodes[code].repair,
  ),
) as ReadonlySet<string>

/** Lists the faults at the place of a mutation that the sound document does not have. */
function listAdded(kind: ProposedKind, { field, document, sound }: Mutation) {
  const toKey = (fault: { field: string; message: string }) => `${fault.field} ${fault.message}`
  const before = new Set(listFaults(kind, sound).map(toKey))
  return listFaults(kind, document).filter(
    fault => !before.has(toKey(fault)) && isNear(fault.field, field),
  )
}

describe.each(proposedKinds)('what the public schema of %s forbids', kind => {
  const isSound = loadSchema(kind)
  const all = listSchemaMutations(kind)
  const forbidden = all.filter(({ document }) => !isSound(document))

  test('the documents that are mutated are valid by it', () => {
    const wrong = all.filter(({ sound }) => !isSound(sound))
    expect(wrong.map(({ field, rule }) => `${field} ${rule}`)).toEqual([])
    expect(forbidden.length).toBeGreaterThan(150)
  })

  test('is reported at its place, once, with a fix', () => {
    const silent: string[] = []
    const doubled: string[] = []
    const vague = new Set<string>()
    for (const mutation of forbidden) {
      const { field, rule } = mutation
      const added = listAdded(kind, mutation)
      if (added.length === 0) silent.push(`${field} ${rule}`)
      if (new Set(added.map(fault => fault.field)).size < added.length)
        doubled.push(`${field} ${rule}`)
      for (const { message, suggestion = '' } of added)
        if (vagueFixes.has(suggestion)) vague.add(message)
    }
    expect(doubled).toEqual([])
    expect([...vague]).toEqual([])
    const known = deliberate.filter(rule => rule.kind === kind)
    expect(silent).toEqual(known.map(({ place, rule }) => `${place} ${rule}`))
  })
})

/** Puts a value at a place such as `a[0].b` of a copy of a document. */
function putAt(document: unknown, field: string, value: unknown): unknown {
  const copy = structuredClone(document) as Record<string, unknown>
  const keys = field.split(/[.[\]]+/).filter(key => key !== '')
  const last = keys.pop()!
  const holder = keys.reduce((part, key) => part[key] as Record<string, unknown>, copy)
  holder[last] = value
  return copy
}

function getAt(document: unknown, field: string): unknown {
  const keys = field.split(/[.[\]]+/).filter(key => key !== '')
  return keys.reduce((part, key) => (part as Record<string, unknown>)[key], document)
}

describe.each(proposedKinds)('what the public schema of %s allows', kind => {
  const isSound = loadSchema(kind)
  const all = listSchemaMutations(kind)

  /** Lists the faults of a value that the schema allows at the place of a mutation. */
  const listFalse = (mutation: Mutation, value: string, code: RegExp): string[] => {
    const document = putAt(mutation.sound, mutation.field, value)
    expect(isSound(document), `${mutation.field} ${value}`).toBe(true)
    const added = listAdded(kind, { ...mutation, document })
    return added.filter(fault => code.test(fault.code)).map(({ message }) => message)
  }

  test('is no fault at its full length, whatever its characters', () => {
    const long = all.filter(
      ({ rule, field, document }) => rule === 'maxLength' && !/id$|uri$/.test(field) && document,
    )
    expect(long.length).toBeGreaterThan(2)
    for (const mutation of long) {
      const length = String(getAt(mutation.document, mutation.field)).length - 1
      const full = putAt(mutation.sound, mutation.field, '🦊'.repeat(length))
      if (isSound(full))
        expect(listFalse(mutation, '🦊'.repeat(length), /too_long/), mutation.field).toEqual([])
    }
  })

  test('is no fault in any spelling of a date and time', () => {
    const moments = all.filter(
      ({ rule, field, sound }) => rule === 'format' && /^\d{4}-/.test(String(getAt(sound, field))),
    )
    expect(moments.length).toBeGreaterThan(1)
    for (const mutation of moments)
      for (const value of [
        '2026-01-31t09:00:00z',
        '2026-12-31T23:59:60Z',
        '2027-01-01T00:59:60+01:00',
      ])
        expect(listFalse(mutation, value, /moment|unreadable|pattern/), mutation.field).toEqual([])
  })
})

describe('a file that is created', () => {
  const isSound = loadSchema('adagents.json')
  const inline = listSchemaMutations('adagents.json').filter(
    ({ sound, document }) => canCreate(sound) && canCreate(document),
  )
  const create = (file: unknown) =>
    createAdagents(
      { ...(file as AdagentsConfig), include_schema: true, include_timestamp: true },
      now,
    )

  test('has nothing that the public schema of adagents.json forbids', () => {
    let refused = 0
    for (const { field, rule, document, sound } of inline) {
      expect(create(sound).validation, `${field} sound`).toMatchObject({ valid: true })
      try {
        expect(isSound(JSON.parse(create(document).text)), `${field} ${rule}`).toBe(true)
      } catch (error) {
        if (!(error instanceof PublicError)) throw error
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(300)
  })
})

/** Tells whether a file has a list of agents, without which the request itself is refused. */
function canCreate(file: unknown): boolean {
  const { authorized_agents: agents } = file as { authorized_agents?: unknown }
  return Array.isArray(agents) && agents.length > 0
}
