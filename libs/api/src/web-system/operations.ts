// Health of the installation. Every signed-in user can read the health, because the response names no project.
import { operation } from '../operation.ts'
import { SystemMigration, SystemSdks, SystemStatus } from './types.ts'

export const status = operation({
  id: 'webSystem.status',
  method: 'GET',
  path: '/api/ui/system/status',
  auth: 'session',
  surface: 'private',
  bucket: 'none',
  responses: { 200: SystemStatus },
  summary: 'Get the version, the write mode, the freshness of each path, the backlog and the dead letters.',
})

export const sdks = operation({
  id: 'webSystem.sdks',
  method: 'GET',
  path: '/api/ui/system/sdks',
  auth: 'session',
  surface: 'private',
  bucket: 'none',
  responses: { 200: SystemSdks },
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  summary: 'List the SDKs that sent data in the last seven days, each with the upgrade that it needs, if any.',
})

export const migration = operation({
  id: 'webSystem.migration',
  method: 'GET',
  path: '/api/ui/system/migration',
  auth: 'session',
  surface: 'private',
  bucket: 'none',
  responses: { 200: SystemMigration },
  summary: 'Get the progress of the migration of v3 data.',
})
