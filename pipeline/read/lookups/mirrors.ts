import type { StoredMirror } from '../../model/mirror.ts'
import type { Reader } from '../reader.ts'

export function findMirror({ serving }: Reader, platform: string): StoredMirror | undefined {
  const value = serving?.get('mirror', platform)
  return value === undefined ? undefined : (JSON.parse(value.toString()) as StoredMirror)
}
