# Porchlight's Worker on your own server: `workerd serve workerd.capnp`, in this folder. Docs:
# docs/permanent-address.md.
#
# The proxy in front, which has the certificate, must set two headers of every request itself, and
# overwrite those that a reader sends: X-Forwarded-Proto (http or https), and the one that
# CLIENT_IP_HEADER names, with the reader's address.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "edge", worker = .edge),
    # The service or an object store may be in your own network, so private addresses are allowed.
    (name = "internet", network = (
      allow = ["public", "private"],
      tlsOptions = (trustBrowserCas = true),
    )),
    # The folder in which workerd runs. STORE is in its folder porchlight-store.
    (name = "disk", disk = (path = ".", writable = true)),
  ],
  sockets = [(
    name = "http",
    # On loopback: readers come through the proxy.
    address = "127.0.0.1:8787",
    http = (forwardedProtoHeader = "X-Forwarded-Proto"),
    service = "edge",
  )],
);

const edge :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2025-01-01",
  # The key is that of the data: with another one, STORE is empty.
  durableObjectNamespaces = [
    (className = "Store", uniqueKey = "porchlight-store", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "STORE", durableObjectNamespace = "Store"),
    (name = "CLIENT_IP_HEADER", text = "X-Real-IP"),
    # From the environment, so that this file holds no secret.
    (name = "EDGE_SECRET", fromEnvironment = "EDGE_SECRET"),
  ],
);
