// Settings of sign-in by OpenID Connect. The sign-in uses the authorization code flow with PKCE, state and nonce.
import { type Role, roleOf } from '@svc-server/relational/roles'
import { mapped, setting, type ValuesOf } from '@svc-server/service/configuration'

export interface GroupRole {
  readonly group: string
  readonly orgId: string
  readonly role: Role
}

/**
 * Undefined if the text is not a rule such as `group=organization:role`. The name of a group can contain equals signs, so the last equals
 * sign ends the name.
 */
function groupRoleOf(text: string): GroupRole | undefined {
  const [, group, orgId, name] = /^(.+)=([\w-]{1,64}):([A-Z]+)$/.exec(text) ?? []
  if (group === undefined || orgId === undefined || name === undefined) return undefined
  const role = roleOf(name)
  return role === name ? { group, orgId, role } : undefined
}

export const oidcSettings = {
  publicUrl: setting.url({
    env: 'SVC_PUBLIC_URL',
    protocols: ['http', 'https'],
    optional: true,
    says: 'Address of the web app as browsers see it, with its base path. The identity provider redirects browsers to this address.',
  }),
  oidcIssuer: setting.url({
    env: 'SVC_OIDC_ISSUER',
    protocols: ['http', 'https'],
    optional: true,
    says: 'Identity provider of the web app (OpenID Connect). Register the redirect URI at the provider: SVC_PUBLIC_URL followed by /api/ui/session/oidc/callback. A person whose email address belongs to an existing user signs in as this user. If not set, people sign in only with passwords and links.',
  }),
  oidcClientId: setting.text({
    env: 'SVC_OIDC_CLIENT_ID',
    optional: true,
    valid: 'a client id',
    says: 'Client id that the identity provider issued for the web app.',
  }),
  oidcClientSecret: setting.secret({
    env: 'SVC_OIDC_CLIENT_SECRET',
    optional: true,
    valid: 'a client secret',
    says: 'Client secret that the identity provider issued. If not set, the web app is a public client without a secret.',
  }),
  oidcName: setting.text({
    env: 'SVC_OIDC_NAME',
    default: 'single sign-on',
    valid: 'a name',
    says: 'Name of the identity provider on the sign-in page.',
  }),
  oidcScopes: setting.text({
    env: 'SVC_OIDC_SCOPES',
    default: 'openid email profile',
    valid: 'scopes, separated by spaces, among them openid',
    pattern: /(?:^| )openid(?: |$)/,
    says: 'Scopes that the web app requests. If the provider sends groups only for a certain scope, add that scope.',
  }),
  oidcGroupsClaim: setting.text({
    env: 'SVC_OIDC_GROUPS_CLAIM',
    default: 'groups',
    valid: 'a claim',
    says: 'Name of the claim that lists a person’s groups in the ID token.',
  }),
  oidcRoles: mapped(
    setting.list({
      env: 'SVC_OIDC_ROLES',
      optional: true,
      valid: 'GROUP=ORGANIZATION:ROLE, comma-separated',
      says: 'Roles that the identity provider’s groups get in organizations. At each sign-in, a person gets a role in each configured organization: the highest role of the person’s groups. A person without a group for a configured organization is removed from that organization. If not set, groups get no roles, and only existing users can sign in.',
    }),
    (texts = []) => texts.map(text => groupRoleOf(text) ?? text),
  ),
}

export type OidcConfig = ValuesOf<typeof oidcSettings>

export function oidcProblems({ publicUrl, oidcIssuer, oidcClientId, oidcRoles }: OidcConfig): readonly string[] {
  const wrong = oidcRoles.filter(each => typeof each === 'string')
  const problems = wrong.map(
    text => `SVC_OIDC_ROLES: ${text} is not of the form GROUP=ORGANIZATION:ROLE with a role OWNER, ADMIN, MEMBER or VIEWER.`,
  )
  if (oidcIssuer === undefined) return problems
  if (oidcClientId === undefined) problems.push('SVC_OIDC_ISSUER is set, but SVC_OIDC_CLIENT_ID is not. Set both.')
  if (publicUrl === undefined)
    problems.push('SVC_OIDC_ISSUER is set, but SVC_PUBLIC_URL is not. Set SVC_PUBLIC_URL to the address of the web app.')
  return problems
}
