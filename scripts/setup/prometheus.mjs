import { requireProgram } from './programs.mjs'

/** Makes Prometheus available, in which tests load the dashboard and the alert rules. */
export function requirePrometheus() {
  requireProgram(['prometheus'], 'prometheus')
}
