import type { AgentProfile } from '../model/storyboards/storyboard-result.ts'
import type { AgentSession } from './agent-session.ts'
import { isKnownName } from './catalog.ts'
import { readPath } from './read-path.ts'
import { shortenText } from './redact.ts'
import { applyProtocolName } from './references.ts'

const NAMES_MAX = 100
/** Characters of a name before it is cut, which adds one more: results hold up to 200. */
const NAME_CHARS_MAX = 199

/**
 * Reads the profile of an agent, from its capabilities if it offers them. The credential of the agent is
 * hidden in it, except in a name that the storyboards know: what applies to the agent follows from that.
 */
export async function readProfile(
  session: AgentSession,
  protocolName: string,
): Promise<AgentProfile> {
  const { tools, hide } = session
  const show = (text: string) =>
    isKnownName(text, protocolName) ? text : shortenText(hide(text), NAME_CHARS_MAX)
  const showNames = (names: unknown) =>
    listNames(names)
      .map(show)
      .filter(name => name !== '')
  const profile = {
    name: shortenText(hide(session.name)),
    tools: showNames([...tools]),
  }
  const task = applyProtocolName('get_proto_capabilities', protocolName)
  if (!tools.has(task)) return profile
  const answer = await session.call(task, {})
  if (answer.kind === 'silent')
    return { ...profile, capabilities_probe_error: hide(answer.message) }
  const { payload, error } = answer.outcome
  if (error !== undefined) {
    return { ...profile, capabilities_probe_error: 'the capabilities were refused' }
  }
  session.capabilities = payload
  const versions = readPath(payload, `${protocolName}.major_versions[*]`).filter(Number.isInteger)
  const spoken = showNames(readPath(payload, `${protocolName}.supported_versions[*]`))
  return {
    ...profile,
    ...(spoken.length > 0 && { adcp_supported_versions: spoken }),
    supported_protocols: showNames(payload.supported_protocols),
    specialisms: showNames(payload.specialisms),
    ...(versions.length > 0 && { adcp_version: `v${Math.max(...(versions as number[]))}` }),
  }
}

function listNames(value: unknown): string[] {
  const names = Array.isArray(value) ? value.filter(name => typeof name === 'string') : []
  return names.slice(0, NAMES_MAX)
}
