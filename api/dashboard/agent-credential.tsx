import type { AgentCompliance } from '../../pipeline/model/responses/compliance.ts'
import type {
  AgentAuthStatus,
  AgentConnected,
  AgentDiagnosticList,
} from '../../pipeline/model/responses/monitoring.ts'
import { isStepRefused } from '../../pipeline/model/storyboards/storyboard-check.ts'
import { CANNOT_BE_REACHED, REQUIRES_CREDENTIAL } from '../../pipeline/resolve/compliance.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderMoment } from '../pages/html/text.tsx'
import type { ApiAnswer, ApiRequest } from './call-api.ts'
import { canEdit, type OrganizationRequest } from './dashboard-request.ts'
import { type DoneName, renderButton, renderHidden, renderToken, toSectionPath } from './page.tsx'

/** Describes the kinds of credential in words. */
const kinds = {
  bearer: 'bearer token',
  basic: 'user name and password',
  oauth_client_credentials: 'OAuth client credentials',
} as const

/** Optional fields of client credentials. */
const moreFields = [
  ['scope', 'Scopes, separated by spaces (optional)', 1_024],
  ['resource', 'Resource (optional)', 2_048],
  ['audience', 'Audience (optional)', 2_048],
] as const

const CLIENT_PATH = 'client-credentials'

export const toAgentApiPath = (url: string, path: string) =>
  `/api/registry/agents/${encodeURIComponent(url)}/${path}`

/** Tells whether the last run failed for want of a credential, or with the saved one. */
function wantsCredential(
  { headline, last_checked_at }: AgentCompliance,
  failed: AgentDiagnosticList['diagnostics'],
  { saved_at }: AgentAuthStatus,
): boolean {
  // A run from before the credential was saved says nothing about it.
  if (saved_at !== null && saved_at >= (last_checked_at ?? '')) return false
  return (
    headline === REQUIRES_CREDENTIAL ||
    failed.some(({ failed_validations_jsonb: checks, response_status }) =>
      isStepRefused(checks, response_status),
    )
  )
}

/** Describes what the last test came to with the saved credential. */
function describeUse(
  { headline, last_checked_at }: AgentCompliance,
  { saved_at }: AgentAuthStatus,
  isWanted: boolean,
): string {
  if (isWanted) return 'refused in the last test'
  const isTried = (saved_at ?? '') < (last_checked_at ?? '') && headline !== CANNOT_BE_REACHED
  return isTried ? 'not refused in the last test' : 'not tested yet'
}

/** Renders what is saved, without the secret, and the forms that save, replace and remove it; folded unless it is wanted. */
export function renderCredential(
  context: OrganizationRequest,
  compliance: AgentCompliance,
  auth: AgentAuthStatus,
  failed: AgentDiagnosticList['diagnostics'],
): Html {
  const { agent_url: url } = compliance
  const { has_auth, auth_type, saved_at } = auth
  const isWanted = wantsCredential(compliance, failed, auth)
  const { form, organization, services, token } = context
  const path = `${toSectionPath(organization.org_id, 'agents')}/tests`
  const isEditor = canEdit(organization)
  const isSetUp = services.config.CREDENTIALS_KEY !== undefined
  const content = (
    <>
      {has_auth && auth_type !== null ? (
        <>
          <p>Saved {renderMoment(saved_at)}. It’s stored encrypted and can’t be shown again.</p>
          {isEditor
            ? renderButton(`${path}/disconnect`, token, 'Remove credential', { url }, 'plain')
            : null}
        </>
      ) : (
        <p>An agent that requires a credential can’t be tested without one.</p>
      )}
      {!isEditor ? null : isSetUp ? (
        <>
          {renderTokenForm(context, path, url, has_auth)}
          {renderClientForm(context, path, url)}
        </>
      ) : (
        <p class="quiet">
          This registry can’t store credentials: its operator hasn’t set a key for them.
        </p>
      )}
    </>
  )
  const isEdited = form.has('auth_type') || form.has('client_id')
  return (
    <>
      {isWanted ? (
        <p class="notice fair">
          {has_auth
            ? 'The agent refused calls with its saved credential.'
            : 'The agent refused calls because it requires a credential.'}
          {isSetUp && isEditor
            ? ` ${has_auth ? 'Replace it' : 'Save one'}, then test again.`
            : null}
        </p>
      ) : null}
      <details id="credential" class="fold" open={isWanted || isEdited}>
        <summary>
          Credential:{' '}
          {has_auth && auth_type !== null
            ? `${kinds[auth_type]}; ${describeUse(compliance, auth, isWanted)}`
            : 'none'}
        </summary>
        {content}
      </details>
    </>
  )
}

function renderTokenForm(
  { form, token }: OrganizationRequest,
  path: string,
  url: string,
  isSaved: boolean,
): Html {
  return (
    <form method="post" action={`${path}/token`} class="panel">
      {isSaved ? <h2>Replace it</h2> : null}
      <p class="quiet">It’s sent only to this agent, and never shown again.</p>
      {renderToken(token)}
      {renderHidden({ url })}
      <label for="auth_type">Type</label>
      <select id="auth_type" name="auth_type">
        <option value="bearer">Bearer token</option>
        <option value="basic" selected={form.get('auth_type') === 'basic'}>
          User name and password, separated by a colon
        </option>
      </select>
      {renderSecret('auth_token', 'Token or password', 4_096)}
      <button type="submit">Save credential</button>
    </form>
  )
}

function renderClientForm({ form, token }: OrganizationRequest, path: string, url: string): Html {
  const read = (name: string) => form.get(name) ?? ''
  return (
    <details open={form.has('client_id')}>
      <summary>Use OAuth client credentials instead</summary>
      <form method="post" action={`${path}/${CLIENT_PATH}`} class="panel">
        <p class="quiet">Before each run, the registry requests an access token with them.</p>
        {renderToken(token)}
        {renderHidden({ url })}
        {renderField('token_endpoint', 'Token endpoint', 2_048, read, { type: 'url' })}
        {renderField('client_id', 'Client ID', 2_048, read)}
        {renderSecret('client_secret', 'Client secret', 8_192)}
        {moreFields.map(([name, label, chars]) =>
          renderField(name, label, chars, read, { isOptional: true }),
        )}
        <label for="auth_method">Sent</label>
        <select id="auth_method" name="auth_method">
          <option value="basic">With basic authentication</option>
          <option value="body" selected={read('auth_method') === 'body'}>
            In the body
          </option>
        </select>
        <button type="submit">Save client credentials</button>
      </form>
    </details>
  )
}

function renderField(
  name: string,
  label: string,
  chars: number,
  read: (name: string) => string,
  { type = 'text', isOptional = false }: { type?: 'text' | 'url'; isOptional?: boolean } = {},
): Child {
  return (
    <>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        value={read(name)}
        required={!isOptional}
        maxlength={String(chars)}
        autocomplete="off"
      />
    </>
  )
}

/** Renders a field whose value is never written into a page. */
function renderSecret(name: string, label: string, chars: number): Child {
  return (
    <>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type="password"
        required
        maxlength={String(chars)}
        autocomplete="new-password"
      />
    </>
  )
}

/** A form of the section, and the request to the API that it becomes. */
interface CredentialForm {
  path: string
  done: DoneName
  toRequest(context: OrganizationRequest, url: string): ApiRequest
}

const CLIENT_FIELDS = ['token_endpoint', 'client_id', 'client_secret', 'auth_method'] as const

export const credentialForms: readonly CredentialForm[] = [
  {
    path: 'token',
    done: 'credential',
    toRequest: ({ form, organization }, url) => ({
      method: 'PUT',
      url: toAgentApiPath(url, 'connect'),
      payload: {
        organization_id: organization.org_id,
        auth_type: form.get('auth_type') ?? undefined,
        auth_token: form.get('auth_token')?.trim() ?? '',
      },
    }),
  },
  {
    path: CLIENT_PATH,
    done: 'credential',
    toRequest: ({ form, organization }, url) => {
      const optional = moreFields.map(([name]) => name).filter(name => form.get(name))
      const sent = [...CLIENT_FIELDS, ...optional].map(name => [name, form.get(name) ?? undefined])
      return {
        method: 'PUT',
        url: toAgentApiPath(url, 'oauth-client-credentials'),
        payload: { organization_id: organization.org_id, ...Object.fromEntries(sent) },
      }
    },
  },
  {
    path: 'disconnect',
    done: 'credential_removed',
    toRequest: ({ org }, url) => ({
      method: 'DELETE',
      url: toAgentApiPath(url, 'connect'),
      query: org,
    }),
  },
]

/** Describes why a credential was refused, or why the agent does not accept the one that is saved. */
export function describeCredentialFault({
  refused,
  body,
}: ApiAnswer<Partial<AgentConnected>>): string | undefined {
  const { refresh } = body
  if (refused !== undefined || refresh === undefined) return refused
  if (refresh.online && !refresh.oauth_required) return undefined
  return `The credential is saved, but ${refresh.error ?? 'the agent didn’t respond'}.`
}
