// Operations that only the web app calls. No published document contains them (contract §22).
import { z } from 'zod'
import { queryText } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { ChangePasswordRequest, Me, RedeemLinkRequest, SignInOptions, SignInRequest } from './types.ts'

const privately = { surface: 'private', bucket: 'none' } as const
const small = { maxBodyBytes: 16 * 1024 } as const

export const signIn = operation({
  id: 'ui.signIn',
  method: 'POST',
  path: '/api/ui/session',
  auth: 'browser',
  body: SignInRequest,
  responses: { 200: Me },
  ...{ ...privately, ...small },
  summary: 'Sign in with email and password. The response sets the session cookie.',
})

export const signInOptions = operation({
  id: 'ui.signInOptions',
  method: 'GET',
  path: '/api/ui/session/options',
  auth: 'browser',
  responses: { 200: SignInOptions },
  ...privately,
  summary: 'List the ways to sign in without a password.',
})

export const startOidc = operation({
  id: 'ui.startOidc',
  method: 'GET',
  path: '/api/ui/session/oidc',
  auth: 'browser',
  query: z.object({ to: queryText }),
  responses: { 302: null },
  ...privately,
  summary: 'Redirect to the identity provider. After the sign-in, the browser returns to the web app at the path `to`.',
})

export const finishOidc = operation({
  id: 'ui.finishOidc',
  method: 'GET',
  path: '/api/ui/session/oidc/callback',
  auth: 'browser',
  query: z.object({
    ...{ code: queryText, state: queryText, iss: queryText, session_state: queryText },
    ...{ error: queryText, error_description: queryText },
  }),
  responses: { 302: null },
  ...privately,
  summary:
    'Complete a sign-in with the identity provider. The response redirects to the web app. After a failure, it redirects to the sign-in page with `error`.',
})

export const redeemLink = operation({
  id: 'ui.redeemLink',
  method: 'POST',
  path: '/api/ui/session/link',
  auth: 'browser',
  body: RedeemLinkRequest,
  responses: { 200: Me },
  ...{ ...privately, ...small },
  summary: 'Sign in by a one-time link, and set a password if the request contains one.',
})

export const signOut = operation({
  id: 'ui.signOut',
  method: 'DELETE',
  path: '/api/ui/session',
  auth: 'session',
  responses: { 204: null },
  ...privately,
  summary: 'End the session.',
})

export const me = operation({
  id: 'ui.me',
  method: 'GET',
  path: '/api/ui/me',
  auth: 'session',
  responses: { 200: Me },
  ...privately,
  summary: 'Get the signed-in user with their organizations, projects and roles.',
})

export const changePassword = operation({
  id: 'ui.changePassword',
  method: 'PUT',
  path: '/api/ui/me/password',
  auth: 'session',
  body: ChangePasswordRequest,
  responses: { 200: Me },
  ...{ ...privately, ...small },
  summary: 'Change the password. All other sessions of the user end.',
})
