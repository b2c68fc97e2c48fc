// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface ApiKeyDeletionResponse {
  success: boolean
}

export interface ApiKeyList {
  apiKeys: ApiKeySummary[]
}

export interface ApiKeyResponse {
  id: string
  createdAt: string
  expiresAt?: string | null | undefined
  publicKey: string
  secretKey: string
  displaySecretKey: string
  name?: string | null | undefined
  note?: string | undefined
}

export interface ApiKeySummary {
  id: string
  createdAt: string
  expiresAt?: string | undefined
  lastUsedAt?: string | undefined
  name?: string | null | undefined
  note?: string | undefined
  publicKey: string
  displaySecretKey: string
}

export interface CreateApiKeyRequest {
  name?: string | undefined
  note?: string | undefined
  expiresAt?: string | undefined
  publicKey?: string | undefined
  secretKey?: string | undefined
}

export interface CreateProjectRequest {
  name: string
  metadata?: Record<string, unknown> | undefined
  retention: number
}

export interface Organization {
  id: string
  name: string
}

export interface Project {
  id: string
  name: string
  organization: Organization
  metadata: Record<string, unknown>
  retentionDays?: number | undefined
}

export interface ProjectDeletionResponse {
  success: boolean
  message: string
}

export interface Projects {
  data: Project[]
}

export interface UpdateProjectRequest {
  name: string
  metadata?: Record<string, unknown> | undefined
  retention?: number | undefined
}
