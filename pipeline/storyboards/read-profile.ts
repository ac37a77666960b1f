import type { AgentProfile } from '../model/storyboards/storyboard-result.ts'
import type { AgentSession } from './agent-session.ts'
import { readPath } from './read-path.ts'
import { shortenText } from './redact.ts'
import { applyProtocolName } from './references.ts'

const NAMES_MAX = 100

/** Reads the profile of an agent, from its capabilities if it offers them. */
export async function readProfile(
  session: AgentSession,
  protocolName: string,
): Promise<AgentProfile> {
  const profile = {
    name: shortenText(session.name),
    tools: [...session.tools].slice(0, NAMES_MAX).map(text => shortenText(text)),
  }
  const task = applyProtocolName('get_proto_capabilities', protocolName)
  if (!session.tools.has(task)) return profile
  const answer = await session.call(task, {})
  if (answer.kind === 'silent') return { ...profile, capabilities_probe_error: answer.message }
  const { payload, error } = answer.outcome
  if (error !== undefined) {
    return { ...profile, capabilities_probe_error: 'the capabilities were refused' }
  }
  const versions = readPath(payload, `${protocolName}.major_versions[*]`).filter(Number.isInteger)
  return {
    ...profile,
    supported_protocols: listNames(payload.supported_protocols),
    specialisms: listNames(payload.specialisms),
    ...(versions.length > 0 && { adcp_version: `v${Math.max(...(versions as number[]))}` }),
  }
}

function listNames(value: unknown): string[] {
  const names = Array.isArray(value) ? value.filter(name => typeof name === 'string') : []
  return names.slice(0, NAMES_MAX).map(text => shortenText(text))
}
