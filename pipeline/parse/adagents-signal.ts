import { type SignalEntry, signalValueTypes } from '../model/documents/index.ts'
import { readId, readName } from './adagents-catalog.ts'
import { type ObjectReader, optional } from './object-reader.ts'
import { joinAlternatives, SIGNAL_ID, SIGNAL_TAG } from './suggestions.ts'

const signalFields = new Set(['id', 'name', 'value_type', 'tags'])

export function parseSignal(part: ObjectReader): SignalEntry | undefined {
  const id = readId(part, 'id')
  if (id === undefined) return undefined
  part.checkAlphabet('id', id, SIGNAL_ID)
  if (!part.has('value_type')) {
    part.error('value_type', 'missing', `is missing: write ${joinAlternatives(signalValueTypes)}`)
  }
  const valueType = part.oneOf('value_type', signalValueTypes)
  checkValues(part, valueType)
  return {
    id,
    name: readName(part) ?? id,
    ...optional('value_type', valueType),
    tags: readSignalTags(part),
    manifest: part.rest(signalFields),
  }
}

function checkValues(part: ObjectReader, valueType: string | undefined): void {
  const allowed = part.list('allowed_values')
  if (valueType === 'categorical' && !part.has('allowed_values')) {
    part.warn(
      'allowed_values',
      'missing',
      'is missing: list the values a categorical signal can have',
    )
  } else if (valueType === 'categorical' && allowed?.length === 0) {
    part.warn('allowed_values', 'empty', 'is empty: list the values a categorical signal can have')
  }
  const range = part.part('range')
  if (range) checkRange(range)
  if (part.has('category')) part.text('category')
}

function checkRange(range: ObjectReader): void {
  const { min, max } = range.value
  for (const key of ['min', 'max']) {
    if (typeof range.value[key] !== 'number')
      range.error(key, 'wrong_type', `must be a number, such as ${key === 'min' ? 0 : 1}`)
  }
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    range.error('min', 'out_of_order', 'is greater than max: write the smaller number first')
  }
}

function readSignalTags(part: ObjectReader): string[] {
  return part.names('tags', SIGNAL_TAG) ?? []
}
