import { z } from 'zod'
import { findNearestWord, isVariant } from '../core/nearest-word.ts'
import { formatPath } from '../core/validation-messages.ts'
import type { FaultCode } from '../model/fault-codes.ts'
import type { Fault } from '../model/observation.ts'
import { type Faults, quote } from './faults.ts'
import { isObject } from './object-reader.ts'

/** Unknown members of a file that are compared with the known ones. */
const COMPARED_MAX = 500
/** Codes of faults that a member which is there under another name explains. */
const absences: ReadonlySet<FaultCode> = new Set([
  'missing',
  'empty',
  'contradictory',
  'unknown_form',
])

export interface Misspelled {
  /** Place of the object, empty for the file itself. */
  place: string
  name: string
  meant: string
}

/**
 * Reports each member that the schema does not know, but that nearly has the name of one that it does. Where
 * that one is reported as missing, both are one fault.
 */
export function reportMisspelled(faults: Faults, schema: z.ZodType, file: unknown): void {
  for (const { place, name, meant } of listMisspelled(schema, file)) {
    const field = joinField(place, name)
    faults.explain(fault => fault.field === field || isAbsence(fault, place, meant), {
      field,
      code: 'misspelled',
      message: `is not known here: did you mean ${quote(meant)}?`,
    })
  }
}

/** Tells whether a fault says that a member is not there, or that for want of it nothing is. */
function isAbsence({ field, code, message }: Fault, place: string, name: string): boolean {
  if (!absences.has(code) && !message.startsWith('is missing')) return false
  if (field === 'root') return place === ''
  const isBeside = field.slice(0, Math.max(0, field.lastIndexOf('.'))) === place
  return field === joinField(place, name) || (isBeside && message.startsWith(`and ${name} `))
}

function joinField(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`
}

/**
 * Lists the members of a value, at any depth, whose names are near those of members that their object lacks, or
 * variants of those that it has.
 */
export function listMisspelled(schema: z.ZodType, file: unknown): Misspelled[] {
  const misspelled: Misspelled[] = []
  let compared = 0
  const visit = (schemas: z.ZodType[], value: unknown, place: string): void => {
    const forms = schemas.flatMap(listForms)
    if (Array.isArray(value)) {
      const items = forms.flatMap(form =>
        form instanceof z.ZodArray ? toSchema(form.element) : [],
      )
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
        const meant = findNearestWord(name, absent) ?? names.find(key => isVariant(name, key))
        if (meant === undefined) continue
        misspelled.push({ place, name, meant })
        known = findSchemas(meant)
      }
      visit(known, member, joinField(place, name))
    }
  }
  visit([schema], file, '')
  return misspelled
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

/** Lists the lists, objects and maps that a value of a schema may be. */
function listForms(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return listForms(toSchema(schema.unwrap()))
  }
  if (schema instanceof z.ZodPipe) return listForms(toSchema(schema.in))
  if (schema instanceof z.ZodUnion) return schema.options.map(toSchema).flatMap(listForms)
  return [schema]
}

/** Narrows a part of a schema: all schemas here are made of the same classes. */
function toSchema(part: z.core.$ZodType): z.ZodType {
  return part as z.ZodType
}
