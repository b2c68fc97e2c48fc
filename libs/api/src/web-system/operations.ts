// Health of the installation. Every signed-in user may read it, because the response names no project.
import { operation } from '../operation.ts'
import { SystemStatus } from './types.ts'

export const status = operation({
  id: 'webSystem.status',
  method: 'GET',
  path: '/api/ui/system/status',
  auth: 'session',
  surface: 'private',
  bucket: 'none',
  responses: { 200: SystemStatus },
  summary: 'Get version, write mode, freshness of each path, backlog and dead letters.',
})
