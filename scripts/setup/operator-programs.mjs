import { requireProgram } from './programs.mjs'

/**
 * Makes programs available with which tests check what operators get: Prometheus loads the dashboard and the
 * alert rules, systemd the unit, OpenSSH signs a release, iproute2 and nftables keep the hosts of a network
 * apart, which root alone may do.
 */
export function requireOperatorPrograms() {
  requireProgram(['prometheus'], 'prometheus')
  requireProgram(['systemd-analyze'], 'systemd')
  requireProgram(['ssh-keygen'], 'openssh-client')
  if (process.getuid?.() !== 0) return
  requireProgram(['ip'], 'iproute2')
  requireProgram(['nft'], 'nftables')
}
