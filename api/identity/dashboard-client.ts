/** Id of the registry's own pages as an application that people sign in to. */
export const DASHBOARD_CLIENT = 'dashboard'

/** Address at which the browser arrives after a sign-in. */
export const DASHBOARD_CALLBACK = '/dashboard/signed-in'
