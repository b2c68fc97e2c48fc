// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface DeleteMembershipRequest {
  userId: string
}

export interface MembershipDeletionResponse {
  message: string
  userId: string
}

export interface MembershipRequest {
  userId: string
  role: MembershipRole
}

export interface MembershipResponse {
  userId: string
  role: MembershipRole
  email: string
  name: string
}

export const MembershipRole = {
  Owner: 'OWNER',
  Admin: 'ADMIN',
  Member: 'MEMBER',
  Viewer: 'VIEWER',
} as const
export type MembershipRole = (typeof MembershipRole)[keyof typeof MembershipRole]

export interface MembershipsResponse {
  memberships: MembershipResponse[]
}

export interface OrganizationApiKey {
  id: string
  createdAt: string
  expiresAt?: string | undefined
  lastUsedAt?: string | undefined
  name?: string | null | undefined
  note?: string | undefined
  publicKey: string
  displaySecretKey: string
}

export interface OrganizationApiKeysResponse {
  apiKeys: OrganizationApiKey[]
}

export interface OrganizationProject {
  id: string
  name: string
  metadata?: Record<string, unknown> | undefined
  createdAt: string
  updatedAt: string
}

export interface OrganizationProjectsResponse {
  projects: OrganizationProject[]
}
