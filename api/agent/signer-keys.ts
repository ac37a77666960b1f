import { ConfigError } from '../../pipeline/core/config.ts'
import { readSettingFile } from '../../pipeline/core/settings/setting-file.ts'

const SETTING = 'AGENT_SIGNER_KEYS'

/** Reads the JWKS of keys that may sign for every operator; throws a `ConfigError` for anything else. */
export function readSignerKeys(path: string): { keys: object[] } {
  const text = readSettingFile(SETTING, path)
  try {
    const set = JSON.parse(text)
    if (Array.isArray(set?.keys)) return set
  } catch {}
  throw new ConfigError(`${SETTING} names ${path}, which is no JWKS.`)
}
