// Operations of the web app: in no published document, and of sessions alone (ui.md §7).
import { operation } from '../operation.ts'
import { ChangePasswordRequest, Me, RedeemLinkRequest, SignInRequest } from './types.ts'

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
  summary: 'Sign in with email and password; the response sets the cookie.',
})

export const redeemLink = operation({
  id: 'ui.redeemLink',
  method: 'POST',
  path: '/api/ui/session/link',
  auth: 'browser',
  body: RedeemLinkRequest,
  responses: { 200: Me },
  ...{ ...privately, ...small },
  summary: 'Sign in by a one-time link, and set a password if one is given.',
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
  summary: 'Who is signed in, with organizations, projects and roles.',
})

export const changePassword = operation({
  id: 'ui.changePassword',
  method: 'PUT',
  path: '/api/ui/me/password',
  auth: 'session',
  body: ChangePasswordRequest,
  responses: { 200: Me },
  ...{ ...privately, ...small },
  summary: 'Change the password; every other session ends.',
})
