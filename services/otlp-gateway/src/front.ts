// The ports of OTLP.
import type { ServiceTools } from '@svc-server/service'
import { type ClientFront, createClientFront } from '@svc-server/service/connections'
import type { GatewayConfig } from './settings.ts'

export const createGatewayFront = (config: GatewayConfig, tools: Pick<ServiceTools, 'metrics' | 'logger'>): ClientFront =>
  createClientFront({ name: 'gateway', config, tools })
