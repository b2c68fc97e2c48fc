import { declareKeys } from '../../span-view/keys.ts'

export const opentelemetryKeys = declareKeys({
  kept: ['deployment.environment.name', 'deployment.environment', 'user.id', 'session.id'],
})
