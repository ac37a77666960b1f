import { requireProgram } from './programs.mjs'

/**
 * Makes programs available with which tests check what operators get: Prometheus loads the dashboard and the
 * alert rules, systemd the unit, OpenSSH signs a release.
 */
export function requireOperatorPrograms() {
  requireProgram(['prometheus'], 'prometheus')
  requireProgram(['systemd-analyze'], 'systemd')
  requireProgram(['ssh-keygen'], 'openssh-client')
}
