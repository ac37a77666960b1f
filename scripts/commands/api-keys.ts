import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import {
  type KeysWanted,
  type ListedKey,
  listActiveKeys,
} from '../../pipeline/accounts/organizations.ts'
import { formatTime } from '../../pipeline/core/clock.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import type { KeyPermission } from '../../pipeline/core/roles.ts'
import { KEY_PREFIX_CHARS } from '../../pipeline/model/identity.ts'
import { keyOrSecret } from '../command-line/values.ts'
import { readSettings } from './environment.ts'
import { nameInput, openInput } from './input.ts'
import { askOrOpen, performOrExit, unwrapOrExit } from './running.ts'
import { formatTable } from './text.ts'

interface KeyOptions {
  org: string
  label?: string
  /** Lets it manage the keys of its organization. */
  admin?: boolean
  /** Keeps it from changing anything. */
  readOnly?: boolean
}

/**
 * Creates a key and prints its secret. The secret is made here, and only its hash and first characters leave this
 * process.
 */
export async function createKey(options: KeyOptions): Promise<void> {
  const { org, label = '', admin, readOnly } = options
  const secret = `sk_${randomBytes(32).toString('base64url')}`
  const permissions: KeyPermission[] = [
    ...(admin ? (['admin:*'] as const) : []),
    ...(readOnly ? (['read'] as const) : []),
  ]
  const prefix = secret.slice(0, KEY_PREFIX_CHARS)
  const key = { key_id: randomUUID(), org, label, permissions, hash: hashSecret(secret), prefix }
  const operation = { op: 'key.create' as const, ...key }
  await performOrExit(readSettings(), operation)
  process.stdout.write(`${secret}\n`)
}

/** Prints the active keys of an organization, or of all. */
export async function listKeys({ org, json }: { org?: string; json?: boolean }): Promise<void> {
  const keys = await loadKeys({ org })
  if (json) return void process.stdout.write(`${JSON.stringify(keys)}\n`)
  const owner = org === undefined ? 'There is' : `${org} has`
  const table = formatTable([HEADER, ...keys.map(toCells)])
  process.stdout.write(keys.length === 0 ? `${owner} no active key.\n` : `${table}\n`)
}

const HEADER = ['ID', 'KEY', 'ORGANIZATION', 'ACCESS', 'CREATED', 'BY', 'LABEL']

function toCells(key: ListedKey): string[] {
  const { key_id, prefix, org_name, permissions, created_at, created_by, label } = key
  const start = prefix === null ? 'sk_…' : `${prefix}…`
  const access = permissions.map(permission => ACCESS[permission]).join(', ') || 'standard'
  return [key_id, start, org_name, access, formatTime(created_at), created_by ?? 'operator', label]
}

/** Names of what the permissions of a key add to those of a standard one, or take from them. */
const ACCESS: Record<KeyPermission, string> = {
  'admin:*': 'admin',
  'admin:read': 'admin (reads)',
  read: 'read-only',
}

/** Revokes a key that is named by its id or its secret, either of them as an argument or in the standard input (`-`). */
export async function revokeKey(typed: string, { org }: { org?: string }): Promise<void> {
  const named = typed === '-' ? await readKeyFromInput() : typed
  const isSecret = named.startsWith('sk_')
  const keys = await loadKeys({ org, hash: isSecret ? hashSecret(named) : undefined })
  const [key] = isSecret ? keys : keys.filter(({ key_id }) => key_id === named)
  if (key === undefined) {
    const owner = org === undefined ? 'there is' : `${org} has`
    return void unwrapOrExit({
      refused: `${owner} no active key ${isSecret ? 'with this secret' : named}`,
    })
  }
  const { key_id, org_name } = key
  await performOrExit(readSettings(), { op: 'key.revoke' as const, key_id })
  process.stdout.write(`Revoked the key ${key_id} of ${org_name}.\n`)
}

/** Reads a key from the first line of the standard input, so that a secret stays out of the history of the shell. */
async function readKeyFromInput(): Promise<string> {
  const typed = getFirst((await text(await openInput('-'))).trim().split('\n'))
  try {
    return keyOrSecret(typed)
  } catch (error) {
    throw new Error(`${nameInput('-')} ${(error as Error).message}`)
  }
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Loads active keys; throws where there is no organization of the name that is wanted. */
async function loadKeys(wanted: KeysWanted): Promise<ListedKey[]> {
  const keys = await askOrOpen<ListedKey[] | null>(
    readSettings(),
    { ask: 'keys', ...wanted },
    async ({ accounts }) => listActiveKeys(accounts.db, wanted),
  )
  if (keys === null) throw new Error(`There is no organization called ${wanted.org}`)
  return keys
}
