// The OTLP listeners.
import type { ServiceTools } from '@svc-server/service'
import { type ClientListener, type ClientListenerConfig, createClientListener } from '@svc-server/service/connections'

export const createGatewayListener = (config: ClientListenerConfig, tools: Pick<ServiceTools, 'metrics' | 'logger'>): ClientListener =>
  createClientListener({ name: 'gateway', config, tools })
