import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { isObject, type JsonObject } from '../parse/object-reader.ts'

const REF = /^\/schemas\/[^/]+\/([\w./-]+\.json)$/
const FILE = /^[\w-]+(\/[\w.-]+)*\.json$/

/** Compiled schemas by their files. */
interface SchemaSet {
  ajv: Ajv
  loaded: Set<string>
  compiled: Map<string, ValidateFunction | undefined>
}

/** Schemas by the folder of a version of the protocol; each is compiled when it is first needed. */
const sets = new Map<string, SchemaSet>()

/** A place where a payload breaks a schema. */
export interface SchemaFault {
  /** JSON Pointer. */
  place: string
  message: string
}

/**
 * Checks a request or an answer by a schema of the protocol, which knows it by its public name. Undefined where
 * the folder has no such schema.
 */
export function checkSchema(
  folder: string,
  file: string,
  payload: JsonObject,
  protocolName: string,
): SchemaFault | 'valid' | undefined {
  const validate = findValidator(folder, file)
  if (validate === undefined) return undefined
  if (validate(toPublic(payload, protocolName)) === true) return 'valid'
  return describeFault(validate.errors ?? [])
}

/** Name of the protocol in its own schemas. */
export const PUBLIC_NAME = 'adcp'

/** Writes the protocol’s name as the public schemas do: as a member, and before a slash. */
function toPublic(payload: JsonObject, protocolName: string): JsonObject {
  if (protocolName === PUBLIC_NAME) return payload
  const { [protocolName]: own, ...others } = payload
  return rename(own === undefined ? payload : { [PUBLIC_NAME]: own, ...others }) as JsonObject

  function rename(value: unknown): unknown {
    if (typeof value === 'string') {
      const isNamed = value.startsWith(`${protocolName}/`)
      return isNamed ? `${PUBLIC_NAME}${value.slice(protocolName.length)}` : value
    }
    if (Array.isArray(value)) return value.map(rename)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, rename(member)]))
  }
}

function findValidator(folder: string, file: string): ValidateFunction | undefined {
  if (!FILE.test(file) || file.includes('..')) return undefined
  const set = sets.get(folder) ?? createSet()
  sets.set(folder, set)
  if (!set.compiled.has(file)) set.compiled.set(file, compile(set, folder, file))
  return set.compiled.get(file)
}

function createSet(): SchemaSet {
  // A schema may have keywords for documents, such as `x-entity`.
  const ajv = new Ajv({ strict: false, logger: false, validateFormats: true })
  addFormats.default(ajv)
  return { ajv, loaded: new Set(), compiled: new Map() }
}

function compile(set: SchemaSet, folder: string, file: string): ValidateFunction | undefined {
  const id = load(set, folder, findFile(folder, file))
  return id === undefined ? undefined : set.ajv.getSchema(id)
}

/** Finds a schema that a bundle looks for in the folder of another protocol than it is in. */
function findFile(folder: string, file: string): string {
  if (existsSync(join(folder, file))) return file
  const name = basename(file)
  const holder = readdirSync(folder, { withFileTypes: true }).find(
    entry => entry.isDirectory() && existsSync(join(folder, entry.name, name)),
  )
  return holder === undefined ? file : `${holder.name}/${name}`
}

/** Adds a schema with all that it refers to, and returns its id. */
function load(set: SchemaSet, folder: string, file: string): string | undefined {
  const schema = readSchema(join(folder, file))
  if (schema === undefined || typeof schema.$id !== 'string') return undefined
  if (set.loaded.has(file)) return schema.$id
  set.loaded.add(file)
  set.ajv.addSchema(schema)
  for (const ref of listRefs(schema)) {
    const [, other] = REF.exec(ref.split('#')[0] ?? '') ?? []
    if (other !== undefined && !other.includes('..')) load(set, folder, other)
  }
  return schema.$id
}

function readSchema(path: string): JsonObject | undefined {
  try {
    const schema: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isObject(schema) ? schema : undefined
  } catch {
    return undefined
  }
}

function listRefs(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listRefs)
  if (!isObject(value)) return []
  const own = typeof value.$ref === 'string' ? [value.$ref] : []
  return [...own, ...Object.values(value).flatMap(listRefs)]
}

/** Describes the fault that lies deepest: those of the alternatives of a union repeat what is above them. */
function describeFault(errors: readonly ErrorObject[]): SchemaFault {
  const [deepest] = [...errors].sort((a, b) => countParts(b) - countParts(a))
  const { instancePath = '', message = 'does not match', params } = deepest ?? {}
  const detail = isObject(params) ? Object.values(params).flat().slice(0, 10) : []
  const named = detail.filter(part => typeof part === 'string' && !message.includes(part))
  return {
    place: instancePath,
    message: named.length > 0 ? `${message}: ${named.join(', ')}` : message,
  }
}

function countParts({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length
}
