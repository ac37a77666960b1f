/** Requests of a client of MCP, as far as servers differ in how they take them. */
export interface McpClient {
  /** Value of `Accept`; absent where the client sends none. */
  accept?: string
  /** Version that it asks for. */
  version: string
  capabilities: object
  /** Sends `MCP-Protocol-Version` after the handshake, which versions before 2025-06-18 do not know. */
  namesVersion: boolean
}

const both = 'application/json, text/event-stream'
const turned = 'text/event-stream, application/json'
const nothing = {}

/** Editors, assistants, frameworks and plain HTTP clients, by their name. */
export const mcpClients: Readonly<Record<string, McpClient>> = {
  'the TypeScript SDK': {
    accept: both,
    version: '2025-11-25',
    capabilities: nothing,
    namesVersion: true,
  },
  'the Python SDK': {
    accept: both,
    version: '2025-06-18',
    capabilities: { sampling: {}, roots: { listChanged: true } },
    namesVersion: true,
  },
  'an older Python SDK': {
    accept: both,
    version: '2025-03-26',
    capabilities: { roots: { listChanged: true } },
    namesVersion: false,
  },
  'Visual Studio Code': {
    accept: turned,
    version: '2025-11-25',
    capabilities: {
      roots: { listChanged: true },
      sampling: {},
      elicitation: { form: {}, url: {} },
    },
    namesVersion: true,
  },
  Cursor: {
    accept: both,
    version: '2025-06-18',
    capabilities: {
      tools: true,
      prompts: true,
      resources: true,
      logging: false,
      roots: { listChanged: false },
    },
    namesVersion: true,
  },
  'Claude Code': {
    accept: both,
    version: '2025-06-18',
    capabilities: { roots: {} },
    namesVersion: true,
  },
  'Claude on the web': {
    accept: both,
    version: '2025-06-18',
    capabilities: nothing,
    namesVersion: true,
  },
  Zed: {
    accept: both,
    version: '2025-03-26',
    capabilities: { experimental: {}, sampling: {}, roots: { listChanged: true } },
    namesVersion: false,
  },
  'the Rust SDK': {
    accept: turned,
    version: '2025-03-26',
    capabilities: nothing,
    namesVersion: false,
  },
  'the Go SDK': {
    accept: both,
    version: '2025-06-18',
    capabilities: { roots: { listChanged: true } },
    namesVersion: true,
  },
  'the Java SDK': {
    accept: turned,
    version: '2024-11-05',
    capabilities: nothing,
    namesVersion: false,
  },
  'the C# SDK': { accept: both, version: '2025-06-18', capabilities: nothing, namesVersion: true },
  'an assistant that streams only': {
    accept: 'text/event-stream',
    version: '2025-06-18',
    capabilities: nothing,
    namesVersion: true,
  },
  'a client of a later version': {
    accept: both,
    version: '2030-01-01',
    capabilities: nothing,
    namesVersion: true,
  },
  'curl and requests': {
    accept: '*/*',
    version: '2025-06-18',
    capabilities: nothing,
    namesVersion: false,
  },
  axios: {
    accept: 'application/json, text/plain, */*',
    version: '2025-06-18',
    capabilities: nothing,
    namesVersion: false,
  },
  'a plain HTTP library': { version: '2025-03-26', capabilities: nothing, namesVersion: false },
  'a JSON client': {
    accept: 'application/json',
    version: '2025-06-18',
    capabilities: nothing,
    namesVersion: true,
  },
  'ranges of types': {
    accept: 'application/*, text/*',
    version: '2025-06-18',
    capabilities: nothing,
    namesVersion: true,
  },
}

const web = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** Registrations of clients of MCP, by their name; `kept` is what differs in the answer. */
export const registrations: Readonly<Record<string, { asked: object; kept?: object }>> = {
  'Visual Studio Code': {
    asked: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
        'http://localhost/',
        'http://localhost:33418/',
      ],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    kept: { grant_types: web.grant_types },
  },
  Cursor: {
    asked: {
      ...web,
      client_name: 'Cursor',
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    },
  },
  'Claude Code': {
    asked: {
      ...web,
      client_name: 'Claude Code (registry)',
      redirect_uris: ['http://localhost:54212/callback'],
    },
  },
  'Claude on the web': {
    asked: {
      ...web,
      client_name: 'Claude',
      scope: 'claudeai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    },
    kept: { scope: 'openid profile email' },
  },
  ChatGPT: {
    asked: {
      ...web,
      client_name: 'ChatGPT',
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    },
  },
  'the inspector of MCP': {
    asked: {
      ...web,
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      scope: '',
      redirect_uris: ['http://localhost:6274/oauth/callback'],
    },
    kept: { scope: 'openid profile email' },
  },
  'a local proxy': {
    asked: {
      ...web,
      client_name: 'MCP CLI Proxy',
      client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '0.1.29',
      redirect_uris: ['http://127.0.0.1:3334/oauth/callback'],
    },
    kept: { software_id: undefined, software_version: undefined },
  },
  'the Python SDK': {
    asked: {
      redirect_uris: ['http://localhost:3030/callback'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid profile offline_access',
      client_name: 'Simple Auth Client',
      contacts: null,
      logo_uri: null,
      jwks: null,
    },
    kept: { scope: 'openid profile', contacts: undefined, logo_uri: undefined, jwks: undefined },
  },
  'a server with client credentials': {
    asked: {
      ...web,
      grant_types: ['authorization_code', 'client_credentials'],
      redirect_uris: ['https://server.example/callback'],
    },
    kept: { grant_types: ['authorization_code'] },
  },
  'a server that signs': {
    asked: {
      client_name: 'A server',
      redirect_uris: ['https://server.example/callback'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'https://server.example/jwks',
      id_token_signed_response_alg: 'RS256',
      subject_type: 'pairwise',
    },
    kept: {
      token_endpoint_auth_method: 'none',
      jwks_uri: undefined,
      id_token_signed_response_alg: 'ES256',
      subject_type: 'public',
    },
  },
  'an editor with an implicit flow as well': {
    asked: {
      ...web,
      grant_types: ['authorization_code', 'implicit'],
      response_types: ['code', 'token', 'code id_token'],
      redirect_uris: ['https://editor.example/redirect', 'urn:ietf:wg:oauth:2.0:oob'],
      logo_uri: 'data:image/png;base64,AA',
      contacts: ['me@editor.example', 'nobody'],
    },
    kept: {
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: ['https://editor.example/redirect'],
      logo_uri: undefined,
      contacts: ['me@editor.example'],
    },
  },
  'the least that there is': { asked: { redirect_uris: ['http://127.0.0.1:9/'] } },
}
