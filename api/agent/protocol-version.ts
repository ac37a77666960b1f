import { TaskError } from './errors.ts'
import { buildNamedFields, listProtocolNames } from './protocol-names.ts'

/** Releases of the protocol that this agent speaks, each by its schemas. */
export const SUPPORTED_VERSIONS = ['3.0'] as const
export const MAJOR_VERSIONS = [3]

const SERVED = SUPPORTED_VERSIONS[0]
/** A release; some clients add the patch, in which no answer differs. */
const RELEASE = /^(\d+)\.\d+(?:\.\d+)?(?:-[\w.-]+)?$/

/**
 * Checks the version that a request names, by its release or by its major version. Another release of a
 * known major version is served by the one that this agent speaks, which the answer names.
 */
export function checkVersion(args: Record<string, unknown>, protocolName: string): void {
  for (const name of listProtocolNames(protocolName)) {
    const release = args[`${name}_version`]
    if (release !== undefined) {
      const [, major] = RELEASE.exec(typeof release === 'string' ? release : '') ?? []
      if (!MAJOR_VERSIONS.includes(Number(major))) refuse(release, `${name}_version`)
    }
    const major = args[`${name}_major_version`]
    if (major !== undefined && !MAJOR_VERSIONS.includes(major as number)) {
      refuse(major, `${name}_major_version`)
    }
  }
}

/** Describes the release by which an answer is to be read. */
export function describeVersion(protocolName: string): Record<string, string> {
  return buildNamedFields(protocolName, name => ({ [`${name}_version`]: SERVED }))
}

function refuse(version: unknown, field: string): never {
  const message = `Version ${JSON.stringify(version)} is not supported, only ${SUPPORTED_VERSIONS.join(', ')}`
  const details = { supported_versions: SUPPORTED_VERSIONS, supported_majors: MAJOR_VERSIONS }
  throw new TaskError('VERSION_UNSUPPORTED', message, { field, details })
}
