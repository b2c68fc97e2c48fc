/** Marks tokens that the server counted, so that the provider's bill can differ. */
export const estimatedUsageName = 'svc.usage.estimated'
