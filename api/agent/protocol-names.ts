/** Name of the protocol in its public clients and schemas, which they say whatever it is called here. */
const PUBLIC_NAME = 'adcp'

/** Lists the names of the protocol that callers may say: the configured one first, then the public one. */
export function listProtocolNames(protocolName: string): string[] {
  return [...new Set([protocolName, PUBLIC_NAME])]
}

/** Builds fields whose keys carry the protocol's name, once for each of its names. */
export function buildNamedFields<Value>(
  protocolName: string,
  build: (name: string) => Record<string, Value>,
): Record<string, Value> {
  return Object.assign({}, ...listProtocolNames(protocolName).map(build))
}

/** Lists the names under which a task can be called. */
export function listTaskNames(
  task: { name(protocolName: string): string },
  protocolName: string,
): string[] {
  return [...new Set(listProtocolNames(protocolName).map(name => task.name(name)))]
}

/**
 * Converts the name of a task that a caller sends to its one name here. The public client reads submitted
 * tasks by `tasks/get` and `tasks/list`, which are not valid names for tools.
 */
export function toTaskName(spelled: string, protocolName: string): string {
  const names = listProtocolNames(protocolName)
  if (/^tasks[/_]list$/.test(spelled)) return 'list_tasks'
  return spelled
    .replace('/', '_')
    .split('_')
    .map(word => (names.includes(word) ? protocolName : word))
    .join('_')
}

/**
 * Finds the name of the protocol that a call says, in its task or in a field such as `adcp_version`. What
 * has room for one name only, such as the tag of a signature, is answered by this one.
 */
export function findSpokenName(
  { task, args }: { task: string; args: Record<string, unknown> },
  protocolName: string,
): string {
  const says = (name: string) =>
    task.split('_').includes(name) || Object.keys(args).some(key => key.startsWith(`${name}_`))
  return listProtocolNames(protocolName).find(says) ?? protocolName
}
