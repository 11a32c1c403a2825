import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.graphdb.QueryExecutionException;

/**
 * Neo4j Community as it is in its container, from the jars of pom.xml, until SIGTERM.
 *
 * <p>Run by scripts/neo4j.sh: {@code java -cp 'lib/*' Neo4jServer.java HOME}; settings are those of
 * {@code HOME/conf/neo4j.conf}. The environment's SERVICE_PASSWORD (an argument would be seen by every user of the
 * machine) becomes the password of the user neo4j.
 */
public final class Neo4jServer {
    public static void main(String[] arguments) throws InterruptedException {
        Path home = Path.of(arguments[0]).toAbsolutePath();
        DatabaseManagementService service = new DatabaseManagementServiceBuilder(home)
                .loadPropertiesFromFile(home.resolve("conf/neo4j.conf"))
                .build();
        var stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            service.shutdown();
            stopped.countDown();
        }));
        String password = System.getenv("SERVICE_PASSWORD");
        if (password != null && !password.isEmpty()) {
            setPassword(service, password);
        }
        // the first statement has the planner loaded, which took a client its patience on a busy machine
        service.database("neo4j").executeTransactionally("MATCH (n) RETURN count(n) AS nodes");
        System.out.println("started");
        stopped.await();
    }

    private static void setPassword(DatabaseManagementService service, String password) {
        try {
            service.database("system")
                    .executeTransactionally(
                            "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
                            Map.of("password", password));
        } catch (QueryExecutionException error) {
            if (!error.getMessage().contains("cannot be the same")) { // the password that an earlier start set
                throw error;
            }
        }
    }
}
