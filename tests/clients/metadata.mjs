/** The server's metadata, as a client is to see them. */

/** Where they are. */
export const METADATA = '/.well-known/oauth-authorization-server';

/** Those of a server that takes no client documents, so that clients register. */
export const withoutDocuments = (server) => ({ ...server, client_id_metadata_document_supported: false });
