import { ConfigError } from './config.ts'

/** An address to listen on, and the settings that choose it. */
export interface ListenPlace {
  host: string
  port: number
  hostSetting: string
  portSetting: string
}

/** Describes why a place cannot be listened on, and which setting helps; undefined for an unknown reason. */
export function describeListenFault(error: unknown, place: ListenPlace): string | undefined {
  const { host, port, hostSetting, portSetting } = place
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use: set ${portSetting} to another port, or end the program that listens there.`
    case 'EACCES':
      return `This user may not listen on port ${port}: set ${portSetting} to 1024 or higher.`
    case 'EADDRNOTAVAIL':
      return `${hostSetting} is ${host}, which is not an address of this machine.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${hostSetting} is ${host}, a name without an address.`
    default:
      return undefined
  }
}

/** Listens with a server, and returns its address. Throws a `ConfigError` where another place has to be chosen. */
export async function listenAt(
  server: { listen(place: { host: string; port: number }): Promise<string> },
  place: ListenPlace,
): Promise<string> {
  try {
    return await server.listen({ host: place.host, port: place.port })
  } catch (error) {
    const fault = describeListenFault(error, place)
    throw fault === undefined ? error : new ConfigError(fault, { cause: error })
  }
}
