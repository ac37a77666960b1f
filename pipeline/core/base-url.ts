import type { Config } from './config.ts'

/** Resolves the address at which the site of a registry is reached. */
export function resolveBaseUrl({
  BASE_URL,
  HOST,
  PORT,
}: Pick<Config, 'BASE_URL' | 'HOST' | 'PORT'>): string {
  return BASE_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`
}
