/** This metadata name shows that the server counted the observation's tokens, so that the provider's bill can differ. */
export const estimatedUsageName = 'svc.usage.estimated'
