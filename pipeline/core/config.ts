import type { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { type Limits, LimitsOverride, limits } from './limits.ts'
import { agentSettings } from './settings/agent-settings.ts'
import { copySettings } from './settings/copy-settings.ts'
import { crawlingSettings } from './settings/crawling-settings.ts'
import { defineSetting } from './settings/define-setting.ts'
import { keySettings } from './settings/key-settings.ts'
import { findMisspelled } from './settings/misspelled-settings.ts'
import { recordSettings } from './settings/record-settings.ts'
import { serverSettings } from './settings/server-settings.ts'
import { findContradictions } from './settings/setting-contradictions.ts'
import { readSetting, type SettingFault } from './settings/setting-faults.ts'
import { signInSettings } from './settings/sign-in-settings.ts'

export { ConfigError } from './config-error.ts'

/** The settings by what they are about, as the reference shows them. */
export const settingGroups = {
  Server: serverSettings,
  Crawling: crawlingSettings,
  Keys: keySettings,
  'Snapshots, backups and replicas': copySettings,
  'Sign-in and billing': signInSettings,
  'Data and review': recordSettings,
  'Reference agent': agentSettings,
}

/** Every setting: read once at start from the environment variable of the same name. */
export const settings = {
  ...serverSettings,
  ...crawlingSettings,
  ...keySettings,
  ...copySettings,
  ...signInSettings,
  ...recordSettings,
  ...agentSettings,
  LIMITS: defineSetting(LimitsOverride.default(limits as Limits), 'JSON of limits to override', {
    shown: '{}',
  }),
}

export type Config = Readonly<{
  [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']>
}>

type Variables = Readonly<Record<string, string | undefined>>

/** Reads the settings from environment variables. Throws a `ConfigError` with all faults of them. */
export function readConfig(env: Variables): Config {
  const { values, faults } = parseSettings(env)
  assertNoFaults(faults.map(({ text }) => text))
  return Object.freeze(values) as Config
}

/**
 * Parses the settings from environment variables; an empty variable counts as absent. Faults are wrong values,
 * which are left out, contradictions, and variables that look like a misspelled setting.
 */
export function parseSettings(env: Variables): {
  values: Partial<Config>
  faults: SettingFault[]
} {
  const faults = findMisspelled(env, Object.keys(settings))
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    const read = readSetting(name, setting, env[name] === '' ? undefined : env[name])
    if ('fault' in read) faults.push({ about: [name], text: read.fault })
    else values[name] = read.value
  }
  faults.push(...findContradictions(values, env))
  return { values, faults }
}

/** Throws a `ConfigError` with all faults, a line each; does nothing where there are none. */
export function assertNoFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
}
