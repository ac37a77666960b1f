import { X509Certificate } from 'node:crypto'
import { ConfigError } from '../config-error.ts'
import { readSettingFile } from '../settings/setting-file.ts'

/** Reads a file of certificates in PEM that a setting names; throws a `ConfigError` for anything else. */
export function readCertificates(setting: string, path: string): string {
  const text = readSettingFile(setting, path)
  try {
    new X509Certificate(text)
    return text
  } catch {
    throw new ConfigError(`${setting} names ${path}, which has no certificate in PEM.`)
  }
}
