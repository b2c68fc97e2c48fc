// The two variables that decide where spans go, with the values of contract §9.3.

export const writeModes = ['legacy', 'dual', 'events_only'] as const
export type WriteMode = (typeof writeModes)[number]

export const otelBehaviours = ['dual_write', 'direct'] as const
export type OtelBehaviour = (typeof otelBehaviours)[number]
