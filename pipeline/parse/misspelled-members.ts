import { z } from 'zod'
import { findNearestWord, isVariant } from '../core/nearest-word.ts'
import { formatPath } from '../core/validation-messages.ts'
import { catalogLists } from '../model/documents/index.ts'
import type { FaultCode } from '../model/fault-codes.ts'
import type { Fault } from '../model/observation.ts'
import { type Faults, quote } from './faults.ts'
import { isObject } from './object-reader.ts'

/** Unknown members of a file that are compared with the known ones. */
const COMPARED_MAX = 500
/** Names by which publishers keep data of their own. */
const EXTENSION = /^(?:ext$|x[-_]|[$_])/
const UNKNOWN_MEMBER =
  'is not part of the format, so it is ignored: remove it unless another reader needs it'
/** Codes of faults that a member which is there under another name explains. */
const absences: ReadonlySet<FaultCode> = new Set([
  'missing',
  'empty',
  'contradictory',
  'unknown_form',
])

/** A member that the schema does not know, and the one that was most likely meant. */
interface Unknown {
  /** Place of the object, empty for the file itself. */
  place: string
  name: string
  meant?: string | undefined
  /** True if the object has that one, too. */
  isBesideIt?: boolean
}

export type Misspelled = Unknown & { meant: string }

/**
 * Reports each member that the schema does not know, but that nearly has the name of one that it does. Where
 * that one is reported as missing, both are one fault. Where `entries` matches the place, any other unknown member is
 * reported too, once for all entries.
 */
export function reportMisspelled(
  faults: Faults,
  schema: z.ZodType,
  file: unknown,
  entries?: RegExp,
): void {
  const reported = new Set<string>()
  for (const { place, name, meant, isBesideIt } of listUnknown(schema, file, entries)) {
    const field = joinField(place, name)
    // What its parser says of a member of an entry tells more than that another one has a similar name.
    if (entries?.test(place) && faults.hasError(field, 'misplaced')) continue
    if (meant !== undefined) {
      faults.explain(fault => fault.field === field || isAbsence(fault, place, meant), {
        field,
        code: 'misspelled',
        message: isBesideIt
          ? `is an unknown field, and ${quote(meant)} already exists: merge them, or delete ${quote(name)}`
          : `is an unknown field: did you mean ${quote(meant)}?`,
      })
      continue
    }
    const everywhere = field.replace(/\[\d+\]/g, '')
    if (!entries?.test(place) || EXTENSION.test(name) || reported.has(everywhere)) continue
    reported.add(everywhere)
    faults.warn(field, 'unknown_member', UNKNOWN_MEMBER)
  }
}

/** Tells whether a fault says that a member is not there, or that for want of it nothing is. */
function isAbsence({ field, code, message }: Fault, place: string, name: string): boolean {
  if (!absences.has(code) && !message.startsWith('is missing')) return false
  if (field === 'root') return place === ''
  if (code === 'empty' && place === '' && isCatalogList(name)) return true
  const isBeside = field.slice(0, Math.max(0, field.lastIndexOf('.'))) === place
  return field === joinField(place, name) || (isBeside && message.startsWith(`and ${name} `))
}

/** Tells whether a file that has such a list describes something. */
function isCatalogList(name: string): boolean {
  return catalogLists.some(list => list === name)
}

function joinField(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`
}

/**
 * Lists the members of a value, at any depth, whose names are near those of members that their object lacks or has.
 */
export function listMisspelled(schema: z.ZodType, file: unknown): Misspelled[] {
  return listUnknown(schema, file).flatMap(({ place, name, meant }) =>
    meant === undefined ? [] : [{ place, name, meant }],
  )
}

/** Lists unknown members; in `entries` and the file around them, one of which a known name is the end, or that is its end, means that one. */
function listUnknown(schema: z.ZodType, file: unknown, entries?: RegExp): Unknown[] {
  const unknown: Unknown[] = []
  let compared = 0
  const visit = (forms: z.ZodType[], value: unknown, place: string): void => {
    if (Array.isArray(value)) {
      const items = forms
        .flatMap(form => (form instanceof z.ZodArray ? listForms(toSchema(form.element)) : []))
        .filter(hasParts)
      for (let i = 0; i < value.length && items.length > 0; i++) {
        visit(items, value[i], `${place}[${i}]`)
      }
    } else if (isObject(value)) visitMembers(forms, value, place)
  }
  const visitMembers = (forms: z.ZodType[], value: object, place: string): void => {
    const shapes = forms.flatMap(form => (form instanceof z.ZodObject ? form.shape : []))
    const values = forms.flatMap(form =>
      form instanceof z.ZodRecord ? toSchema(form.valueType) : [],
    )
    // Nothing below is known, so nothing there is misspelled: of a body of bytes each byte would be a member.
    if (shapes.length === 0 && values.length === 0) return
    const findSchemas = (name: string) =>
      shapes.flatMap(shape => (Object.hasOwn(shape, name) ? toSchema(shape[name]) : []))
    for (const [name, member] of Object.entries(value)) {
      let known = [...findSchemas(name), ...values]
      if (known.length === 0 && compared++ < COMPARED_MAX) {
        const names = shapes.flatMap(Object.keys)
        const absent = names.filter(key => !Object.hasOwn(value, key))
        const isEntry = entries !== undefined && (place === '' || entries.test(place))
        const meant =
          findNearestWord(name, absent) ??
          names.find(key => isVariant(name, key)) ??
          (isEntry ? findByEnding(name, absent, shapes) : undefined) ??
          findNearestWord(name, names)
        const isBesideIt = meant !== undefined && !absent.includes(meant)
        unknown.push({ place, name, meant, isBesideIt })
        if (meant === undefined) continue
        known = findSchemas(meant)
      }
      visit(known.flatMap(listForms), member, joinField(place, name))
    }
  }
  visit(listForms(schema), file, '')
  return unknown
}

/** Finds the absent member of whose name another is the end, or the reverse: one that is required first. */
function findByEnding(
  name: string,
  absent: readonly string[],
  shapes: readonly z.core.$ZodShape[],
): string | undefined {
  const found = absent.filter(key => key.endsWith(`_${name}`) || name.endsWith(`_${key}`))
  const isRequired = (key: string) =>
    shapes.some(shape => Object.hasOwn(shape, key) && !(shape[key] instanceof z.ZodOptional))
  return found.find(isRequired) ?? found[0]
}

/** Finds a missing member that was sent under a part of its name, as `agent` for `agent_url`. */
export function findShortened({ issues }: z.ZodError, sent: unknown): Misspelled | undefined {
  for (const { path } of issues) {
    const meant = path.at(-1)
    const owner = path.slice(0, -1).reduce<unknown>((value, key) => Object(value)[key], sent)
    if (typeof meant !== 'string' || !isObject(owner) || Object.hasOwn(owner, meant)) continue
    const name = meant.split('_').find(part => part !== meant && Object.hasOwn(owner, part))
    if (name !== undefined) return { place: formatPath(path.slice(0, -1)), name, meant }
  }
  return undefined
}

/** Tells whether a value of this form has members or items: the texts of a list need not be visited. */
function hasParts(form: z.ZodType): boolean {
  return form instanceof z.ZodObject || form instanceof z.ZodRecord || form instanceof z.ZodArray
}

/** Lists the lists, objects and maps that a value of a schema may be. */
function listForms(schema: z.ZodType): z.ZodType[] {
  const isWrapper = [z.ZodOptional, z.ZodNullable, z.ZodDefault].some(
    kind => schema instanceof kind,
  )
  if (isWrapper) return listForms(toSchema((schema as z.ZodOptional).unwrap()))
  if (schema instanceof z.ZodPipe) return listForms(toSchema(schema.in))
  if (schema instanceof z.ZodUnion) return schema.options.map(toSchema).flatMap(listForms)
  return [schema]
}

/** Narrows a part of a schema: all schemas here are made of the same classes. */
function toSchema(part: z.core.$ZodType): z.ZodType {
  return part as z.ZodType
}
